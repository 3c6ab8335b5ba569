internal import CGRPC
internal import Dispatch

/// The C server: made, bound and started by `init`, freed with the object.
final class CServer: @unchecked Sendable {
  // Unchecked because of the pointer: the functions used after `init` are thread-safe.
  private let server: OpaquePointer
  /// The server's callbacks borrow it.
  private let events: ServerEvents
  let boundAddresses: [String]

  /// Blocks while names are looked up.
  ///
  /// - Throws: ``GRPCServerError``.
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

  /// Stops accepting, lets calls run for `drain`, then cancels them; ends the call queue when all are done. Returns at
  /// once. A second call with a shorter time does not shorten the first.
  func shutDown(drain: Duration) {
    cgrpc_server_stop_accepting(server)
    // gRPC's shutdown blocks: a thread that may do so.
    DispatchQueue(label: "grpc.shutdown").async { [self] in
      cgrpc_server_shutdown(server, drain.milliseconds)
      events.calls.finish()
    }
  }

  /// Of connections, as of now.
  var counters: cgrpc_server_counters { cgrpc_server_get_counters(server) }
}

/// The server could not start.
public struct GRPCServerError: Error, CustomStringConvertible {
  /// What failed, with the address: `127.0.0.1:50051: Address already in use`.
  public let description: String

  init(_ description: String) { self.description = description }

  /// Takes over C's string.
  fileprivate init(taking message: UnsafeMutablePointer<CChar>?) {
    guard let message else {
      self.init("out of memory")
      return
    }
    self.init(String(cString: message))
    cgrpc_string_destroy(message)
  }
}

extension cgrpc_server_options {
  fileprivate init(_ configuration: GRPCServerConfiguration) {
    self.init(
      max_receive_message_bytes: Int32(clamping: configuration.hardMaximumRequestBytes),
      max_concurrent_streams: Int32(clamping: configuration.maximumConcurrentStreams),
      keepalive_time_ms: Int32(clamping: configuration.keepaliveTime.milliseconds),
      keepalive_timeout_ms: Int32(clamping: configuration.keepaliveTimeout.milliseconds),
      min_ping_interval_ms: Int32(clamping: configuration.minimumPingInterval.milliseconds),
      max_ping_strikes: Int32(clamping: configuration.maximumPingStrikes),
      send_buffer_bytes: Int32(clamping: configuration.sendBufferBytes),
      unsent_low_water_bytes: Int32(clamping: configuration.unsentLowWaterBytes),
      receive_buffer_bytes: Int32(clamping: configuration.receiveBufferBytes),
      read_ahead_bytes: Int32(clamping: configuration.readAheadBytes),
      read_bytes: Int32(clamping: configuration.readBytes),
      max_connections: Int32(clamping: configuration.maximumConnections),
      max_connections_per_address: Int32(clamping: configuration.maximumConnectionsPerAddress),
      handshake_timeout_ms: Int32(clamping: configuration.handshakeTimeout.milliseconds),
      idle_timeout_ms: Int32(clamping: configuration.idleTimeout.milliseconds),
      max_metadata_bytes: Int32(clamping: configuration.maximumMetadataBytes),
      memory_quota_bytes: Int64(configuration.memoryQuotaBytes),
      budget: cgrpc_budget(
        open_calls: Int32(clamping: configuration.maximumConcurrentStreams),
        calls_at_once: Int32(clamping: configuration.budget.callsAtOnce),
        calls_per_second: Int32(clamping: configuration.budget.callsPerSecond),
        bytes_at_once: Int64(configuration.budget.bytesAtOnce),
        bytes_per_second: Int64(configuration.budget.bytesPerSecond),
        message_bytes: 2 * Int64(configuration.maximumSmallRequestBytes),
        large_message_bytes: Int64(
          max(configuration.hardMaximumRequestBytes, 2 * configuration.maximumSmallRequestBytes))),
      refusal_ms: Int32(clamping: configuration.refusalTime.milliseconds))
  }
}

extension Duration {
  fileprivate var milliseconds: Int64 {
    components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
  }
}
