import CGRPC
import Dispatch
import RPCCore
import RPCTestKit
import Synchronization
import Testing

/// These tests check promises of CGRPC.h that the Swift transport never makes visible, because it finishes its calls on
/// time. Here the owner of the calls finishes them as late as the test wants.
@Suite(.timeLimit(.minutes(1)))
struct ShimTests {
  /// A shutdown waits for the calls of a connection that the client has closed. The owner of such a call would
  /// otherwise use a server that is freed.
  @Test func shutdownWaitsForCallsOfConnectionsThatAreGone() async throws {
    let calls = HeldCalls()
    let path = RawConnection.temporaryPath()
    let server = try ShimServer(path, calls)
    do {
      let client = TestClient("unix:\(path)")
      let call = await client.start(.test("Held"))
      #expect(await calls.arrived.next() != nil)
      withExtendedLifetime(call) {}
    }
    // The client has closed its connection, and the server is ending the connection.
    #expect(await calls.cancelled.next() != nil)
    let returned = DispatchSemaphore(value: 0)
    let wasDone = await withCheckedContinuation { continuation in
      DispatchQueue(label: "test.shutdown").async {
        server.shutDown()
        let wasDone = calls.done.load(ordering: .acquiring) == 1
        returned.signal()
        continuation.resume(returning: wasDone)
      }
      DispatchQueue(label: "test.finish").async {
        // A shutdown that does not wait ends long before this time is over.
        _ = returned.wait(timeout: .now() + .milliseconds(300))
        calls.finish()
      }
    }
    #expect(wasDone)
  }
}

/// A server of the C library without the Swift transport.
private final class ShimServer: @unchecked Sendable {
  private let server: OpaquePointer
  private let calls: HeldCalls

  init(_ path: String, _ calls: HeldCalls) throws {
    self.calls = calls
    let credentials = cgrpc_credentials_create_insecure()!
    defer { cgrpc_credentials_destroy(credentials) }
    var options = cgrpc_server_options(
      max_receive_message_bytes: 1 << 20, max_concurrent_streams: 16, keepalive_time_ms: 120_000,
      keepalive_timeout_ms: 120_000, min_ping_interval_ms: 10_000, max_ping_strikes: 2, send_buffer_bytes: 128 << 10,
      unsent_low_water_bytes: 64 << 10, receive_buffer_bytes: 128 << 10, read_ahead_bytes: 64 << 10,
      read_bytes: 8 << 10,
      max_connections: 16,
      max_connections_per_address: 16, handshake_timeout_ms: 10_000, idle_timeout_ms: 300_000,
      max_metadata_bytes: 8 << 10, memory_quota_bytes: 256 << 20,
      budget: cgrpc_budget(
        open_calls: 16, calls_at_once: 2500, calls_per_second: 200, bytes_at_once: 256 << 10, bytes_per_second: 4 << 10,
        message_bytes: 256 << 10, large_message_bytes: 1 << 20),
      refusal_ms: 5000)
    var handler = cgrpc_handler(
      context: Unmanaged.passUnretained(calls).toOpaque(),
      on_call: { context, call in
        HeldCalls.at(context!).arrive(call)
        return context
      },
      on_read: { _, _, _ in }, on_write: { _, _ in }, on_cancel: { HeldCalls.at($0).cancelled.send() },
      on_done: { HeldCalls.at($0).end() }, on_cut: { _, _, _ in })
    var message: UnsafeMutablePointer<CChar>?
    server = try #require(cgrpc_server_create(&options, credentials, &handler, &message))
    try #require(cgrpc_server_listen(server, "unix:\(path)", &message))
    try #require(cgrpc_server_start(server, &message))
  }

  func shutDown() { cgrpc_server_shutdown(server, 0) }

  deinit { cgrpc_server_destroy(server) }
}

/// An owner of calls that leaves its only call unfinished until the test calls ``finish()``.
private final class HeldCalls: Sendable {
  let arrived = Signal<Void>()
  let cancelled = Signal<Void>()
  let done = Atomic(0)
  private let call = Mutex<UInt>(0)

  static func at(_ context: UnsafeMutableRawPointer) -> HeldCalls {
    Unmanaged<HeldCalls>.fromOpaque(context).takeUnretainedValue()
  }

  func arrive(_ call: OpaquePointer) {
    self.call.withLock { $0 = UInt(bitPattern: call) }
    arrived.send()
  }

  func finish() {
    var status = cgrpc_status()
    cgrpc_call_finish(OpaquePointer(bitPattern: call.withLock { $0 })!, &status, false, nil, 0)
  }

  func end() {
    cgrpc_call_release(OpaquePointer(bitPattern: call.withLock { $0 })!)
    done.add(1, ordering: .releasing)
  }
}
