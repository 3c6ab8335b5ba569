import GRPCTransport
import RPCCore
import RPCTestKit
import SwiftProtobuf
import Testing

/// What becomes of connections beyond the limits.
@Suite(.timeLimit(.minutes(1)))
struct ConnectionLimitTests {
  @Test func theOldestWithoutACallGivesWay() async throws {
    try await withServer(Self.limits(inAll: 2)) {
      stream(&$0)
    } body: { server in
      let idle = try #require(await RawConnection.connect(port: server.port))
      // gRPC greets with its settings.
      #expect(await idle.receivesAnything())
      let client = server.client()
      let call = try await begin(client)
      let newcomer = try #require(await RawConnection.connect(port: server.port))
      #expect(await newcomer.receivesAnything())
      // What it was greeted with has more bytes than the one that was read.
      #expect(await idle.receive(atLeast: 1 << 20) < 1 << 20)
      #expect(server.server.counters.connections == 2)
      #expect(server.server.counters.connectionsGaveWay == 1)
      #expect(server.server.counters.connectionsRefused == 0)
      call.cancel()
      withExtendedLifetime(client) {}
    }
  }

  @Test func whenAllHaveCallsTheNewcomerIsRefused() async throws {
    try await withServer(Self.limits(inAll: 2)) {
      stream(&$0)
    } body: { server in
      let clients = [server.client(), server.client()]
      let calls = [try await begin(clients[0]), try await begin(clients[1])]
      let surplus = try #require(await RawConnection.connect(port: server.port))
      #expect(await !surplus.receivesAnything())
      #expect(server.server.counters.connectionsRefused == 1)
      #expect(server.server.counters.connectionsGaveWay == 0)
      #expect(server.server.counters.connections == 2)

      // A call that is over makes room. How soon the server notices is not up to us, so: until it does.
      calls[0].cancel()
      var third = try #require(await RawConnection.connect(port: server.port))
      while await !third.receivesAnything() {
        try Task.checkCancellation()
        third = try #require(await RawConnection.connect(port: server.port))
      }
      #expect(server.server.counters.connectionsGaveWay == 1)
      calls[1].cancel()
      withExtendedLifetime((clients, third)) {}
    }
  }

  @Test func aClosedConnectionMakesRoom() async throws {
    try await withServer(Self.limits(inAll: 2)) {
      stream(&$0)
    } body: { server in
      let clients = [server.client(), server.client()]
      let calls = [try await begin(clients[0])]
      let second = try #require(await RawConnection.connect(port: server.port))
      #expect(await second.receivesAnything())
      second.close()
      try await until { server.server.counters.connections <= 1 }
      let third = try await begin(clients[1])
      #expect(server.server.counters.connectionsGaveWay == 0)
      third.cancel()
      calls[0].cancel()
    }
  }

  @Test func anAddressMayHaveSoMany() async throws {
    var configuration = Self.limits(inAll: 10)
    configuration.addresses = ["127.0.0.1:0", "[::1]:0"]
    configuration.maximumConnectionsPerAddress = 1
    try await withServer(configuration) {
      stream(&$0)
    } body: { server in
      let client = server.client()
      let call = try await begin(client)
      let surplus = try #require(await RawConnection.connect(port: server.port))
      #expect(await !surplus.receivesAnything())
      let port = try #require(server.addresses[1].split(separator: ":").last.flatMap { UInt16($0) })
      let elsewhere = try #require(await RawConnection.connect(port: port, isIPv6: true))
      #expect(await elsewhere.receivesAnything())
      #expect(server.server.counters.connectionsRefused == 1)
      call.cancel()
      withExtendedLifetime(client) {}
    }
  }

  @Test func aUnixSocketTakesThePlaceOfAnIdleConnection() async throws {
    let path = RawConnection.temporaryPath()
    var configuration = Self.limits(inAll: 1)
    configuration.addresses = ["127.0.0.1:0", "unix:\(path)"]
    try await withServer(configuration) {
      stream(&$0)
    } body: { server in
      let idle = try #require(await RawConnection.connect(port: server.port))
      #expect(await idle.receivesAnything())
      let local = TestClient("unix:\(path)")
      let call = try await begin(local)
      #expect(server.server.counters.connectionsGaveWay == 1)
      let newcomer = try #require(await RawConnection.connect(port: server.port))
      #expect(await !newcomer.receivesAnything())
      call.cancel()
      withExtendedLifetime(local) {}
    }
  }

  @Test func whoSaysNothingIsClosed() async throws {
    var configuration = Self.limits(inAll: 10)
    configuration.handshakeTimeout = .milliseconds(50)
    try await withServer(configuration) {
      stream(&$0)
    } body: { server in
      let silent = try #require(await RawConnection.connect(port: server.port))
      // Returns when the server has hung up.
      #expect(await silent.receive(atLeast: 1 << 20) < 1 << 20)
      try await until { server.server.counters.connections == 0 }
      #expect(server.server.counters.connectionsAccepted == 1)
    }
  }

  @Test func whoHasNoCallForLongIsClosed() async throws {
    var configuration = Self.limits(inAll: 10)
    configuration.idleTimeout = .milliseconds(50)
    try await withServer(configuration) {
      stream(&$0)
    } body: { server in
      let idle = try #require(await RawConnection.connect(port: server.port))
      #expect(await idle.send(RawHTTP2.start))
      #expect(await idle.receive(atLeast: 1 << 20) < 1 << 20)
    }
  }

  private static func limits(inAll: Int) -> GRPCServerConfiguration {
    var configuration = GRPCServerConfiguration.test
    configuration.maximumConnections = inAll
    configuration.maximumConnectionsPerAddress = inAll
    // The tests' own connections say nothing.
    configuration.handshakeTimeout = .seconds(60)
    return configuration
  }

  private func stream(_ router: inout RPCRouter) {
    router.serverStreaming(.test("Stream", .serverStreaming)) { (_: Text, _, writer: ResponseWriter<Text>) in
      try await writer.write(Text("here"))
      await untilCancelled()
    }
  }

  /// A call that has begun.
  private func begin(_ client: TestClient) async throws -> TestCall {
    let call = await client.start(.test("Stream"))
    try await call.send(Text())
    #expect(try await call.receive() == Text("here"))
    return call
  }
}
