import Foundation
import GRPCTransport
import Logging
import RPCCore
import RPCTestKit
import SwiftProtobuf
import Testing

/// These tests shut a server down that has several connections, and let a server run out of descriptors.
@Suite(.timeLimit(.minutes(1)))
struct EndOfConnectionsTests {
  /// A shutdown tells the clients of all connections before it waits for the calls of any. A client would otherwise not
  /// learn of the shutdown, and not connect elsewhere, until another client's call ends.
  @Test func shutdownTellsAllClientsBeforeItWaitsForCalls() async throws {
    let path = RawConnection.temporaryPath()
    let go = Signal<Void>()
    var configuration = GRPCServerConfiguration.test
    configuration.addresses = ["127.0.0.1:0", "unix:\(path)"]
    // The drain time never passes in this test: the call that the server waits for ends when the other clients have
    // been told.
    configuration.drainTimeout = .seconds(3600)
    try await withServer(configuration) { router in
      router.serverStreaming(.test("Here", .serverStreaming)) { (_: Text, _, writer: ResponseWriter<Text>) in
        try await writer.write(Text("here"))
        _ = await go.next()
      }
      router.unary(.test("Echo")) { (request: Text, _) in request }
    } body: { server in
      let waiting = await server.client().start(.test("Here"))
      try await waiting.send(Text())
      #expect(try await waiting.receive() == Text("here"))
      let locals = [TestClient("unix:\(path)"), TestClient("unix:\(path)")]
      for local in locals { let _: Text = try await local.unary(.test("Echo"), Text()) }
      server.shutDown()
      // A client that was told connects again, and fails because the server does not listen any more.
      for local in locals {
        while (try? await local.unary(.test("Echo"), Text()) as Text) != nil {}
      }
      go.send()
      #expect(await waiting.finish().code == .ok)
    }
  }

  /// When the process has no descriptor left, not even the spare one, the acceptor waits and does not spin. When
  /// descriptors are free again, it accepts the connection that has waited.
  @Test func acceptorDoesNotSpinWithoutDescriptors() async {
    // The test has a process of its own, because the limit of descriptors holds for the whole process.
    await #expect(processExitsWith: .success) {
      let server = GRPCServer(
        configuration: .test, router: RPCRouter(access: nil),
        logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
      let running = Task { try await server.run() }
      let address = try await server.boundAddresses[0]
      let port = try #require(address.split(separator: ":").last.flatMap { UInt16($0) })
      let connection = RawConnection.unconnected()
      // From here on not even the acceptor's spare descriptor helps.
      let usual = setDescriptorLimit(3)
      #expect(await connection.connect(port: port))
      // An acceptor that spins would try thousands of times meanwhile. No task of this process may wait for a thread
      // now: Swift's pool then looks at its threads in /proc, and traps when it gets no descriptor for that.
      for _ in 0..<100_000 { sched_yield() }
      #expect(server.counters.connectionsRefused == 0)
      setDescriptorLimit(usual)
      // gRPC sends its settings first.
      #expect(await connection.receivesAnything())
      #expect(server.counters.connectionsAccepted == 1)
      withExtendedLifetime(running) {}
    }
  }
}

/// Sets the limit of this process for the numbers of descriptors.
///
/// - Returns: the limit before. A test restores this limit, because any other number may be too low: the process
///   inherits descriptors that other code has opened.
@discardableResult
private func setDescriptorLimit(_ count: rlim_t) -> rlim_t {
  var limit = rlimit()
  getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  let former = limit.rlim_cur
  limit.rlim_cur = count
  setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  return former
}
