import Foundation
import GRPCTransport
import GoogleRPC
import RPCCore
import RPCTestKit
import SwiftProtobuf
import Testing

/// The server cuts connections that send far more than their calls need, and does not cut honest connections that look
/// like these.
@Suite(.timeLimit(.minutes(1)))
struct ExcessTests {
  /// A connection that opens far more calls than its budget allows is cut, and new connections of its address are
  /// refused for `refusalTime`.
  @Test func aFloodOfCallsIsCutAndItsAddressRefused() async throws {
    var configuration = Self.budget(calls: 10)
    configuration.connections.refusalTime = .seconds(600)
    try await withServer(configuration) {
      echo(&$0)
    } body: { server in
      let hostile = try #require(await RawConnection.connect(port: server.port))
      // The 100 calls have too few bytes to be a flood of bytes. The connection may be cut while the client still
      // sends.
      _ = await hostile.send(RawHTTP2.start + RawHTTP2.resets(100, path: MethodName.test("Echo").path))
      #expect(await hostile.receive(atLeast: 1 << 20) < 1 << 20)
      try await until { server.server.counters.connectionsCutForCalls > 0 }
      #expect(server.server.counters.connectionsCutForBytes == 0)
      let again = try #require(await RawConnection.connect(port: server.port))
      #expect(await !again.receivesAnything())
      #expect(server.server.counters.connectionsRefused == 1)
    }
  }

  /// A connection that sends endless frames which belong to no message is cut.
  @Test func aFloodOfBytesIsCut() async throws {
    try await withServer(Self.budget()) {
      echo(&$0)
    } body: { server in
      let hostile = try #require(await RawConnection.connect(port: server.port))
      _ = await hostile.send(RawHTTP2.start)
      let flood = RawHTTP2.windowUpdates(5000)
      while await hostile.send(flood) {}
      try await until { server.server.counters.connectionsCutForBytes > 0 }
      #expect(server.server.counters.connectionsCutForCalls == 0)
    }
  }

  /// What a connection has used counts for its address even when the client closes the connection before it is cut. A
  /// client that connects again and again is refused in the end.
  @Test func addressPaysForConnectionsThatCloseBeforeTheCut() async throws {
    try await withServer(Self.budget()) {
      echo(&$0)
    } body: { server in
      let flood = RawHTTP2.start + RawHTTP2.windowUpdates(20_000)
      while server.server.counters.connectionsRefused == 0 {
        try Task.checkCancellation()
        let hostile = try #require(await RawConnection.connect(port: server.port))
        _ = await hostile.send(flood)
        hostile.close()
      }
    }
  }

  /// A call beyond the budget gets an error that tells the developer of the client the limit, and the connection is not
  /// cut for one such call.
  @Test func surplusCallsGetAnErrorWithTheLimit() async throws {
    try await withServer(Self.budget(calls: 100)) {
      echo(&$0)
    } body: { server in
      let client = server.client()
      var status: TestStatus?
      for _ in 0..<10_000 where status == nil {
        do {
          let _: Text = try await client.unary(.test("Echo"), Text())
        } catch let error as TestStatus {
          status = error
        }
      }
      #expect(status?.code == .resourceExhausted)
      #expect(status?.reason == "TOO_MANY_CALLS")
      #expect(status?.errorInfo?.metadata == ["limit": "1/s"])
      #expect(server.server.counters.callsRefused == 1)
      #expect(server.server.counters.connectionsCutForCalls == 0)
    }
  }

  /// A client may upload large requests one after the other over a connection that is not cut for it.
  @Test func largeRequestsAreNotCut() async throws {
    try await withServer(Self.budget(requests: 4 << 20)) {
      upload(&$0)
    } body: { server in
      let call = await server.client().start(.test("Upload"))
      for _ in 0..<50 {
        try await call.send(Google_Protobuf_BytesValue.with { $0.value = Data(count: 4_000_000) })
      }
      #expect(await call.endWrites())
      let total: Google_Protobuf_UInt64Value? = try await call.receive()
      #expect(total?.value == 200_000_000)
      #expect(await call.finish().code == .ok)
      #expect(server.server.counters.connectionsCutForBytes == 0)
    }
  }

  /// A client may cancel calls whose large requests are incomplete. The bytes of such requests are forgiven, so the
  /// connection is not cut.
  @Test func cancelledLargeRequestsAreForgiven() async throws {
    // Each of the seven calls sends 128 KiB, which a client may send before the handler asks for more. 528 KiB may be
    // incomplete.
    var configuration = Self.budget(requests: 256 << 10)
    configuration.requests.maximumSmallBytes = 128 << 10
    let arrived = Signal<Void>()
    try await withServer(configuration) { router in
      router.clientStreaming(.test("Unread", .clientStreaming), requests: .large) { (_: RequestStream<Text>, _) in
        arrived.send()
        await untilCancelled()
        return Text()
      }
    } body: { server in
      let client = server.client()
      for _ in 0..<7 {
        let call = await client.start(.test("Unread"))
        async let written = call.write([UInt8](repeating: 0, count: 400_000))
        #expect(await arrived.next() != nil)
        call.cancel()
        _ = await written
        #expect(await call.finish().code == .cancelled)
      }
      // The guard looks a few times meanwhile. If the machine is too slow for that, the test misses an error and does
      // not report a wrong one.
      try await Task.sleep(for: .milliseconds(100))
      #expect(server.server.counters.connectionsCutForBytes == 0)
      #expect(server.server.counters.connectionsAccepted == 1)
      withExtendedLifetime(client) {}
    }
  }

  /// When all connections together have too many unaccounted bytes, the server cuts those of the address that has the
  /// most. A client with many connections cannot have the connection of another client cut, even if that one has the
  /// most bytes of all connections.
  @Test func addressWithTheMostBytesIsCutWhenAllTogetherHaveTooMany() async throws {
    let arrived = Signal<Void>()
    let released = Signal<Void>()
    var configuration = Self.budget()
    // On a slow machine the connections take long to send. Until then the server forgives none of their bytes, and
    // closes none of them because it has not sent anything yet.
    configuration.connections.budget.bytesPerSecond = 0
    configuration.connections.handshakeTimeout = .seconds(600)
    try await withServer(configuration) { router in
      router.clientStreaming(.test("Late", .clientStreaming)) { (requests: RequestStream<Text>, _) in
        arrived.send()
        _ = await released.next()
        for try await _ in requests {}
        return Text()
      }
    } body: { server in
      // The message of this connection is unaccounted until the handler reads it, and no other connection has as many
      // unaccounted bytes.
      let call = await server.client().start(.test("Late"))
      try await call.send(Text(String(repeating: "a", count: 60_000)))
      #expect(await arrived.next() != nil)
      var hostile: [RawConnection] = []
      for _ in 0..<150 {
        hostile.append(try #require(await RawConnection.connect(port: server.port, from: "127.0.0.2")))
      }
      // Each connection sends 48 kB. Together they send 7 MB, and 4 MiB are allowed.
      for each in hostile { _ = await each.send(RawHTTP2.start + RawHTTP2.noise(3)) }
      try await until { server.server.counters.connectionsCutForBytes > 0 }
      released.send()
      #expect(await call.endWrites())
      let _: Text? = try await call.receive()
      #expect(await call.finish().code == .ok)
    }
  }

  /// A small method's request that is larger than allowed, but not by much, fails with `REQUEST_TOO_LARGE` and its
  /// sizes, and the connection is not cut before that.
  @Test func largeRequestOfASmallMethodGetsAnError() async throws {
    try await withServer(Self.budget()) {
      echo(&$0)
    } body: { server in
      let call = await server.client().start(.test("Echo"))
      try await call.send(Text(String(repeating: "a", count: 100_000)))
      let status = await call.finish()
      #expect(status.code == .resourceExhausted)
      #expect(status.reason == "REQUEST_TOO_LARGE")
      #expect(status.errorInfo?.metadata == ["size": "100004", "limit": "65536"])
    }
  }

  /// Makes a configuration with a budget of `calls` at once, and requests of up to `requests` bytes.
  private static func budget(calls: Int = 2500, requests: Int = 4 << 20) -> GRPCServerConfiguration {
    var configuration = GRPCServerConfiguration.test
    configuration.connections.budget.callsAtOnce = calls
    configuration.connections.budget.callsPerSecond = calls == 2500 ? 200 : 1
    configuration.requests.maximumBytes = requests
    configuration.requests.hardMaximumBytes = 2 * requests
    return configuration
  }

  /// Adds a method with small requests.
  private func echo(_ router: inout RPCRouter) {
    router.unary(.test("Echo")) { (request: Text, _) in request }
  }

  /// Adds a method with a stream of large requests, which returns the number of their bytes.
  private func upload(_ router: inout RPCRouter) {
    router.clientStreaming(.test("Upload", .clientStreaming), requests: .large) {
      (requests: RequestStream<Google_Protobuf_BytesValue>, _) in
      var total: UInt64 = 0
      for try await request in requests { total += UInt64(request.value.count) }
      return Google_Protobuf_UInt64Value.with { $0.value = total }
    }
  }
}
