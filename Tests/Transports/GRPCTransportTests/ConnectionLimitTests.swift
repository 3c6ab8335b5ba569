import GRPCTransport
import RPCCore
import RPCTestKit
import SwiftProtobuf
import Testing

/// The number of connections is limited. When there are too many, connections without a call give way, so that clients
/// that stream keep their connections and new clients can still connect.
@Suite(.timeLimit(.minutes(1)))
struct ConnectionLimitTests {
  /// When all places are taken, a new connection takes the place of the oldest connection without a call.
  @Test func oldestConnectionWithoutACallGivesWay() async throws {
    try await withServer(Self.limits(inAll: 2)) {
      stream(&$0)
    } body: { server in
      let idle = try #require(await RawConnection.connect(port: server.port))
      // gRPC sends its settings first.
      #expect(await idle.receivesAnything())
      let client = server.client()
      let call = try await begin(client)
      let newcomer = try #require(await RawConnection.connect(port: server.port))
      #expect(await newcomer.receivesAnything())
      // The server's settings have more bytes than the one that was read above, so the test waits for the end of the
      // connection.
      #expect(await idle.receive(atLeast: 1 << 20) < 1 << 20)
      #expect(server.server.counters.connections == 2)
      #expect(server.server.counters.connectionsGaveWay == 1)
      #expect(server.server.counters.connectionsRefused == 0)
      call.cancel()
      withExtendedLifetime(client) {}
    }
  }

  /// When every connection has a call, the server closes the new connection on arrival. When one of the calls has
  /// ended, a new connection takes its connection's place.
  @Test func newConnectionIsRefusedWhenAllHaveCalls() async throws {
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

      // The end of the call makes room. The test cannot know when the server notices the end, so it tries until a
      // connection is accepted.
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

  /// When a client closes its connection, a new connection gets the place without another one giving way.
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

  /// An address may have only `maximumConnectionsPerAddress` connections, and other addresses can still connect.
  @Test func connectionsPerAddressAreLimited() async throws {
    var configuration = Self.limits(inAll: 10)
    configuration.addresses = ["127.0.0.1:0", "[::1]:0"]
    configuration.connections.maximumPerAddress = 1
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

  /// A connection over a Unix socket takes the place of a TCP connection without a call, and never gives way to a TCP
  /// connection.
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

  /// A client that connects and sends nothing is disconnected after `handshakeTimeout`, so that silent clients cannot
  /// use up all places.
  @Test func silentConnectionIsClosed() async throws {
    var configuration = Self.limits(inAll: 10)
    configuration.connections.handshakeTimeout = .milliseconds(50)
    try await withServer(configuration) {
      stream(&$0)
    } body: { server in
      let silent = try #require(await RawConnection.connect(port: server.port))
      // The wait ends when the server has closed the connection.
      #expect(await silent.receive(atLeast: 1 << 20) < 1 << 20)
      try await until { server.server.counters.connections == 0 }
      #expect(server.server.counters.connectionsAccepted == 1)
    }
  }

  /// A client without a call is disconnected after `idleTimeout`.
  @Test func idleConnectionIsClosed() async throws {
    var configuration = Self.limits(inAll: 10)
    configuration.connections.idleTimeout = .milliseconds(50)
    try await withServer(configuration) {
      stream(&$0)
    } body: { server in
      let idle = try #require(await RawConnection.connect(port: server.port))
      #expect(await idle.send(RawHTTP2.start))
      #expect(await idle.receive(atLeast: 1 << 20) < 1 << 20)
    }
  }

  /// Makes a configuration that allows `inAll` connections, all of which may be of one address.
  private static func limits(inAll: Int) -> GRPCServerConfiguration {
    var configuration = GRPCServerConfiguration.test
    configuration.connections.maximum = inAll
    configuration.connections.maximumPerAddress = inAll
    // Some connections of the tests send nothing for a while and must not be closed for it.
    configuration.connections.handshakeTimeout = .seconds(60)
    return configuration
  }

  /// Adds a method whose calls run until they are cancelled.
  private func stream(_ router: inout RPCRouter) {
    router.serverStreaming(.test("Stream", .serverStreaming)) { (_: Text, _, writer: ResponseWriter<Text>) in
      try await writer.write(Text("here"))
      await untilCancelled()
    }
  }

  /// Starts a call, and returns it after its handler has begun.
  private func begin(_ client: TestClient) async throws -> TestCall {
    let call = await client.start(.test("Stream"))
    try await call.send(Text())
    #expect(try await call.receive() == Text("here"))
    return call
  }
}
