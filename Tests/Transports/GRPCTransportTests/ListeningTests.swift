import Foundation
import GRPCTransport
import Logging
import RPCCore
import RPCTestKit
import SwiftProtobuf
import Testing

/// A server listens on the addresses that it is given, or says which address is at fault.
@Suite(.timeLimit(.minutes(1)))
struct ListeningTests {
  /// A server listens on several addresses at once: an IPv4 address, a host name and a Unix socket. Its list of
  /// addresses has the ports that the system chose. The file of the Unix socket is gone after the server has ended.
  @Test func listensOnSeveralAddresses() async throws {
    let path = Self.temporaryPath()
    var configuration = GRPCServerConfiguration.test
    configuration.addresses = ["127.0.0.1:0", "localhost:0", "unix:\(path)"]
    try await withServer(configuration) { router in
      echoPeer(&router)
    } body: { server in
      #expect(server.addresses.count >= 3)
      #expect(server.addresses.last == "unix:\(path)")
      #expect(server.addresses.allSatisfy { !$0.hasSuffix(":0") })
      for address in server.addresses {
        let peer: Text = try await TestClient(address).unary(.test("Peer"), Text())
        #expect(!peer.value.isEmpty)
      }
    }
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  /// When a client has a connection open, a second connection from the same port to another port of the server is
  /// refused, because the server could not tell apart to which of the two a call belongs.
  @Test func secondConnectionFromTheSamePortIsRefused() async throws {
    var configuration = GRPCServerConfiguration.test
    configuration.addresses = ["127.0.0.1:0", "127.0.0.1:0"]
    // The server must not close the first connection meanwhile, however busy the machine is.
    configuration.connections.handshakeTimeout = .seconds(600)
    try await withServer(configuration) { router in
      echoPeer(&router)
    } body: { server in
      let ports = try server.addresses.map { try #require(UInt16($0.split(separator: ":").last ?? "")) }
      let first = try #require(await RawConnection.connect(port: ports[0], from: "127.0.0.1"))
      #expect(await first.send(RawHTTP2.start))
      #expect(await first.receivesAnything())
      // Of a call's connection, gRPC gives only the address and the port from which the client has connected.
      let second = try #require(
        await RawConnection.connect(port: ports[1], from: "127.0.0.1", fromPort: first.localPort))
      #expect(await !second.receivesAnything())
    }
  }

  /// A handler learns which process calls over a Unix socket, and each connection's memory is freed when the connection
  /// ends.
  @Test func handlerLearnsTheProcessBehindAUnixSocket() async throws {
    let contexts = Signal<CallContext>()
    var configuration = GRPCServerConfiguration.test
    configuration.addresses = ["unix:\(Self.temporaryPath())"]
    try await withServer(configuration) { router in
      router.unary(.test("Peer")) { (request: Text, context) in
        contexts.send(context)
        return request
      }
    } body: { server in
      for _ in 0..<3 {
        let _: Text = try await server.client().unary(.test("Peer"), Text())
        let context = try #require(await contexts.next())
        let process = PeerCredentials(processID: getpid(), userID: getuid(), groupID: getgid())
        #expect(context.principal == .process(process))
        #expect(context.peer == "unix:")
      }
      // Every connection over a Unix socket has an endpoint of its own, which is freed when the connection ends.
      while server.server.counters.connections > 0 { await Task.yield() }
      #expect(server.server.counters.connectionsAccepted == 3)
    }
  }

  /// A graceful shutdown ends a stream over a Unix socket after the drain time, although its handler would go on for
  /// ever.
  @Test func endlessStreamOnAUnixSocketIsDrained() async throws {
    var configuration = GRPCServerConfiguration.test
    configuration.addresses = ["unix:\(Self.temporaryPath())"]
    configuration.drainTimeout = .milliseconds(50)
    try await withServer(configuration) { router in
      router.serverStreaming(.test("Endless", .serverStreaming)) { (_: Text, _, writer: ResponseWriter<Text>) in
        try await writer.write(Text("here"))
        await untilCancelled()
      }
    } body: { server in
      let call = await server.client().start(.test("Endless"))
      try await call.send(Text())
      #expect(try await call.receive() == Text("here"))
      server.shutDown()
      #expect(await call.finish().code != .ok)
    }
  }

  /// A server replaces the Unix socket that a dead process has left behind. The daemon could otherwise not start again
  /// after a crash.
  @Test func socketOfADeadProcessIsReplaced() async throws {
    let path = Self.temporaryPath()
    #expect(RawConnection.leaveStaleSocket(at: path))
    var configuration = GRPCServerConfiguration.test
    configuration.addresses = ["unix:\(path)"]
    try await withServer(configuration) { router in
      echoPeer(&router)
    } body: { server in
      let peer: Text = try await server.client().unary(.test("Peer"), Text())
      #expect(peer.value == "unix:")
    }
  }

  /// When an address is in use, the error names the address. Tasks that wait for the server's addresses get an error,
  /// too.
  @Test func errorNamesAnAddressInUse() async throws {
    try await withServer { _ in
    } body: { first in
      var configuration = GRPCServerConfiguration.test
      configuration.addresses = [first.addresses[0]]
      let second = Self.server(configuration)
      let error = await #expect(throws: GRPCServerError.self) { try await second.run() }
      #expect(error?.description == "\(first.addresses[0]): Address already in use")
      await #expect(throws: GRPCServerError.self) { try await second.boundAddresses }
    }
  }

  /// An address that has none of the accepted forms is refused, so that a wrong setting is noticed at the start.
  @Test(arguments: [
    "nonsense", "127.0.0.1:notaport", "127.0.0.1:65536", "127.0.0.1:", "127.0.0.1:-1", "::1:50051", "unix:",
    "256.0.0.1:0",
  ])
  func badAddressIsRefused(address: String) async throws {
    var configuration = GRPCServerConfiguration.test
    configuration.addresses = [address]
    await #expect(throws: GRPCServerError.self) { try await Self.server(configuration).run() }
  }

  /// Reading the addresses waits until the server listens, so it may begin before the server runs.
  @Test func addressesCanBeAwaitedBeforeTheServerRuns() async throws {
    let server = Self.server(.test)
    let awaited = Signal<Void>()
    let addresses = Task {
      awaited.send()
      return try await server.boundAddresses
    }
    #expect(await awaited.next() != nil)
    let running = Task { try await server.run() }
    #expect(try await addresses.value.count == 1)
    running.cancel()
    try await running.value
  }

  /// Adds a method whose response is the address of the client.
  private func echoPeer(_ router: inout RPCRouter) {
    router.unary(.test("Peer")) { (_: Text, context) in Text(context.peer) }
  }

  private static func server(_ configuration: GRPCServerConfiguration) -> GRPCServer {
    GRPCServer(
      configuration: configuration, router: RPCRouter(access: nil),
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
  }

  private static func temporaryPath() -> String {
    FileManager.default.temporaryDirectory.appendingPathComponent("transport-\(UUID().uuidString).sock").path
  }
}
