import Foundation
import GRPCTransport
import Logging
import RPCCore
import RPCTestKit
import SwiftProtobuf
import Testing

/// Shutting down with more than one connection, and running out of descriptors.
@Suite(.timeLimit(.minutes(1)))
struct EndOfConnectionsTests {
  @Test func everyConnectionIsToldBeforeTheFirstIsWaitedFor() async throws {
    let path = RawConnection.temporaryPath()
    let go = Signal<Void>()
    var configuration = GRPCServerConfiguration.test
    configuration.addresses = ["127.0.0.1:0", "unix:\(path)"]
    // Never reached: the call that is waited for ends when the others have been told.
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
      // A client that was told connects anew, and nobody listens any more.
      for local in locals {
        while (try? await local.unary(.test("Echo"), Text()) as Text) != nil {}
      }
      go.send()
      #expect(await waiting.finish().code == .ok)
    }
  }

  @Test func descriptorsThatRunOutDoNotKeepTheAcceptorSpinning() async {
    // In a process of its own, because the limit is the process's.
    await #expect(processExitsWith: .success) {
      let server = GRPCServer(
        configuration: .test, router: RPCRouter(), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
      let running = Task { try await server.run() }
      let address = try await server.boundAddresses[0]
      let port = try #require(address.split(separator: ":").last.flatMap { UInt16($0) })
      let connection = RawConnection.unconnected()
      // Not even the acceptor's spare descriptor helps now.
      let usual = setDescriptorLimit(3)
      #expect(await connection.connect(port: port))
      // As long as an acceptor that spins needs to do so thousands of times.
      for _ in 0..<200_000 { await Task.yield() }
      #expect(server.counters.connectionsRefused == 0)
      setDescriptorLimit(usual)
      // gRPC greets with its settings.
      #expect(await connection.receivesAnything())
      #expect(server.counters.connectionsAccepted == 1)
      withExtendedLifetime(running) {}
    }
  }
}

/// How high descriptors of this process may be numbered.
///
/// - Returns: the limit before. Another number may be too low: this process inherits what others have open.
@discardableResult
private func setDescriptorLimit(_ count: rlim_t) -> rlim_t {
  var limit = rlimit()
  getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  let former = limit.rlim_cur
  limit.rlim_cur = count
  setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  return former
}
