import GRPCTransport
import Logging
import RPCCore
import RPCTestKit
import ServiceLifecycle
import SwiftProtobuf
import Testing

/// A server that shuts down lets calls end by themselves for a while, cancels the others, and then ends. A shutdown
/// that takes too long would hold up the restart of the daemon.
@Suite(.timeLimit(.minutes(1)))
struct ShutdownTests {
  /// A handler of an endless stream that ends when it sees the shutdown ends its call with success, before the drain
  /// time is over.
  @Test func endlessStreamEndsItselfOnGracefulShutdown() async throws {
    var configuration = GRPCServerConfiguration.test
    // The drain time never passes in this test, because the handler ends when it sees the shutdown.
    configuration.drainTimeout = .seconds(3600)
    try await withServer(configuration) { router in
      router.serverStreaming(.test("Endless", .serverStreaming)) { (_: Text, _, writer: ResponseWriter<Text>) in
        let (frames, source) = AsyncStream.makeStream(of: Int.self)
        source.yield(1)
        for await frame in frames.cancelOnGracefulShutdown() { try await writer.write(Text("\(frame)")) }
      }
    } body: { server in
      let call = await server.client().start(.test("Endless"))
      try await call.send(Text())
      #expect(try await call.receive() == Text("1"))
      server.shutDown()
      #expect(await call.read() == nil)
      #expect(await call.finish().code == .ok)
    }
  }

  /// A handler that goes on after the drain time is cancelled.
  @Test func handlerThatGoesOnIsCancelledAfterTheDrain() async throws {
    var configuration = GRPCServerConfiguration.test
    configuration.drainTimeout = .milliseconds(50)
    let cancelled = Signal<Void>()
    try await withServer(configuration) { router in
      router.serverStreaming(.test("Endless", .serverStreaming)) { (_: Text, _, writer: ResponseWriter<Text>) in
        try await writer.write(Text("here"))
        await untilCancelled()
        cancelled.send()
      }
    } body: { server in
      let call = await server.client().start(.test("Endless"))
      try await call.send(Text())
      #expect(try await call.receive() == Text("here"))
      server.shutDown()
      #expect(await cancelled.next() != nil)
      #expect(await call.finish().code != .ok)
    }
  }

  /// A client that does not read, so that the handler's write never ends, does not hold up the end of the server.
  @Test func writeToASilentReaderDoesNotDelayShutdown() async throws {
    var configuration = GRPCServerConfiguration.test
    configuration.drainTimeout = .milliseconds(50)
    let started = Signal<Void>()
    try await withServer(configuration) { router in
      router.serverStreaming(.test("Flood", .serverStreaming)) {
        (_: Text, _, writer: ResponseWriter<Google_Protobuf_BytesValue>) in
        started.send()
        let message = Google_Protobuf_BytesValue.with { $0.value = .init(repeating: 1, count: 1 << 20) }
        while true { try await writer.write(message) }
      }
    } body: { server in
      let call = await server.client().start(.test("Flood"))
      try await call.send(Text())
      #expect(await started.next() != nil)
      server.shutDown()
      // gRPC's client returns the status only after the messages that it has already received.
      while await call.read() != nil {}
      #expect(await call.finish().code != .ok)
    }
  }

  /// When the task of `run` is cancelled, all calls are cancelled and `run` returns.
  @Test func cancellingRunEndsAllCalls() async throws {
    let written = Signal<Void>()
    var router = RPCRouter(access: nil)
    router.serverStreaming(.test("Endless", .serverStreaming)) { (_: Text, _, writer: ResponseWriter<Text>) in
      try await writer.write(Text("here"))
      written.send()
      await untilCancelled()
      try Task.checkCancellation()
    }
    let server = GRPCServer(
      configuration: .test, router: router, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    let running = Task { try await server.run() }
    let client = TestClient(try await server.boundAddresses[0])
    let call = await client.start(.test("Endless"))
    try await call.send(Text())
    #expect(try await call.receive() == Text("here"))
    // The client may have the message before gRPC reports the end of the write. A cancellation during the write would
    // cancel the whole call, and the client would get no status.
    #expect(await written.next() != nil)
    running.cancel()
    try await running.value
    #expect(await call.read() == nil)
    let status = await call.finish()
    #expect(status.code == .unavailable)
    #expect(server.counters.calls == 0)
  }

  /// After a shutdown has ended, the server's port refuses connections.
  @Test func nothingIsAcceptedAfterShutdown() async throws {
    let address = Signal<String>()
    try await withServer { _ in
    } body: { server in
      address.send(server.addresses[0])
    }
    let port = try #require(await address.next()?.split(separator: ":").last.flatMap { UInt16($0) })
    #expect(await RawConnection.connect(port: port) == nil)
  }
}
