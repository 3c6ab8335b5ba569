internal import CGRPC
internal import Dispatch

/// A running server of the C library. `init` creates it, binds its addresses and starts it. The C server is freed with
/// this object.
final class CServer: @unchecked Sendable {
  // Unchecked because of the pointer. The C functions that this object calls after `init` are thread-safe.
  private let server: OpaquePointer
  /// The receiver of the server's callbacks. The C server borrows this object, so it must live as long as the C server.
  private let events: ServerEvents
  /// The addresses that the server listens on, with the ports that the system chose.
  let boundAddresses: [String]

  /// Creates, binds and starts a server. Blocks while the system looks up host names.
  ///
  /// - Throws: ``GRPCServerError`` when memory is short, or when the server cannot listen on one of the addresses or
  ///   cannot start.
  init(configuration: GRPCServerConfiguration, events: ServerEvents) throws {
    guard let credentials = cgrpc_credentials_create_insecure() else { throw GRPCServerError("out of memory") }
    defer { cgrpc_credentials_destroy(credentials) }
    var options = cgrpc_server_options(configuration)
    var handler = cgrpc_handler(
      context: Unmanaged.passUnretained(events).toOpaque(), on_call: callArrived, on_read: readDone,
      on_write: writeDone, on_cancel: callCancelled, on_done: callDone, on_cut: connectionCut)
    var message: UnsafeMutablePointer<CChar>?
    guard let server = cgrpc_server_create(&options, credentials, &handler, &message) else {
      throw GRPCServerError(taking: message)
    }
    for address in configuration.addresses where !cgrpc_server_listen(server, address, &message) {
      cgrpc_server_destroy(server)
      throw GRPCServerError(taking: message)
    }
    guard cgrpc_server_start(server, &message) else {
      cgrpc_server_destroy(server)
      throw GRPCServerError(taking: message)
    }
    self.server = server
    self.events = events
    var addresses: [String] = []
    while let address = cgrpc_server_bound_address(server, addresses.count) {
      addresses.append(String(cString: address))
    }
    boundAddresses = addresses
  }

  deinit { cgrpc_server_destroy(server) }

  /// Begins a shutdown and returns at once. The server stops accepting connections, lets calls run for the time
  /// `drain`, and then cancels the calls that are left. When all calls are done, the call queue ends. A second call of
  /// this function with a shorter time does not shorten the first one's time.
  func shutDown(drain: Duration) {
    cgrpc_server_stop_accepting(server)
    // The C function blocks until the shutdown is complete, so it runs on a dispatch queue and not on a thread of
    // Swift's pool.
    DispatchQueue(label: "grpc.shutdown").async { [self] in
      cgrpc_server_shutdown(server, drain.milliseconds)
      events.calls.finish()
    }
  }

  /// The C server's counters of connections at this moment.
  var counters: cgrpc_server_counters { cgrpc_server_get_counters(server) }
}

extension cgrpc_server_options {
  fileprivate init(_ configuration: GRPCServerConfiguration) {
    self.init(
      max_receive_message_bytes: Int32(clamping: configuration.requests.hardMaximumBytes),
      max_concurrent_streams: Int32(clamping: configuration.calls.maximumPerConnection),
      keepalive_time_ms: Int32(clamping: configuration.keepalive.time.milliseconds),
      keepalive_timeout_ms: Int32(clamping: configuration.keepalive.timeout.milliseconds),
      min_ping_interval_ms: Int32(clamping: configuration.keepalive.minimumPingInterval.milliseconds),
      max_ping_strikes: Int32(clamping: configuration.keepalive.maximumPingStrikes),
      send_buffer_bytes: Int32(clamping: configuration.buffers.sendBytes),
      unsent_low_water_bytes: Int32(clamping: configuration.buffers.unsentLowWaterBytes),
      receive_buffer_bytes: Int32(clamping: configuration.buffers.receiveBytes),
      read_ahead_bytes: Int32(clamping: configuration.buffers.readAheadBytes),
      read_bytes: Int32(clamping: configuration.buffers.readBytes),
      max_connections: Int32(clamping: configuration.connections.maximum),
      max_connections_per_address: Int32(clamping: configuration.connections.maximumPerAddress),
      handshake_timeout_ms: Int32(clamping: configuration.connections.handshakeTimeout.milliseconds),
      idle_timeout_ms: Int32(clamping: configuration.connections.idleTimeout.milliseconds),
      max_metadata_bytes: Int32(clamping: configuration.requests.maximumMetadataBytes),
      memory_quota_bytes: Int64(configuration.connections.memoryQuotaBytes),
      budget: cgrpc_budget(
        open_calls: Int32(clamping: configuration.calls.maximumPerConnection),
        calls_at_once: Int32(clamping: configuration.connections.budget.callsAtOnce),
        calls_per_second: Int32(clamping: configuration.connections.budget.callsPerSecond),
        bytes_at_once: Int64(configuration.connections.budget.bytesAtOnce),
        bytes_per_second: Int64(configuration.connections.budget.bytesPerSecond),
        message_bytes: 2 * Int64(configuration.requests.maximumSmallBytes),
        large_message_bytes: Int64(
          max(configuration.requests.hardMaximumBytes, 2 * configuration.requests.maximumSmallBytes))),
      refusal_ms: Int32(clamping: configuration.connections.refusalTime.milliseconds))
  }
}

extension Duration {
  fileprivate var milliseconds: Int64 {
    components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
  }
}

/// The receivers of the C server's events: the queue gets new calls, and the log gets connections that were cut.
final class ServerEvents: Sendable {
  let calls: CallQueue
  let cuts: CutLog

  init(calls: CallQueue, cuts: CutLog) {
    self.calls = calls
    self.cuts = cuts
  }
}

/// The reason for which a server could not start.
public struct GRPCServerError: Error, CustomStringConvertible {
  /// A text for people that says what failed and at which address: `127.0.0.1:50051: Address already in use`.
  public let description: String

  init(_ description: String) { self.description = description }

  /// Copies the text of an error of the C library and frees the original. Nil means that memory was too short for a
  /// text.
  init(taking message: UnsafeMutablePointer<CChar>?) {
    guard let message else {
      self.init("out of memory")
      return
    }
    self.init(String(cString: message))
    cgrpc_string_destroy(message)
  }
}

/// The counters of a server for metrics. All counters except ``connections`` and ``calls`` count since the start.
public struct GRPCServerCounters: Hashable, Sendable {
  /// The connections that are open now.
  public var connections: UInt64
  /// The connections that the server accepted.
  public var connectionsAccepted: UInt64
  /// The connections that the server closed on arrival, because a limit was reached, because connections from the
  /// address are refused for a while, or because the process had no descriptor left.
  public var connectionsRefused: UInt64
  /// The connections without a call that the server closed in favour of a new connection.
  public var connectionsGaveWay: UInt64
  /// The connections that the server cut because they opened far more calls than ``ConnectionBudget`` allows.
  public var connectionsCutForCalls: UInt64
  /// The connections that the server cut because they sent far more bytes than their messages and calls account for.
  public var connectionsCutForBytes: UInt64
  /// The calls that are waiting or running now.
  public var calls: Int
  /// The calls that the server refused, because the server had too many or because their connection opened too many.
  public var callsRefused: UInt64
}
