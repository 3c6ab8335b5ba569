import RPCCore
import RPCTestKit
import SwiftProtobuf
import Synchronization
import SystemClocks
import Testing

/// A handler ends when its client does not wait for it any more. The daemon would otherwise go on working for clients
/// that are gone.
@Suite(.timeLimit(.minutes(1)))
struct CancellationTests {
  /// When the client cancels its call, the handler's task is cancelled.
  @Test func clientCancelCancelsTheHandler() async throws {
    let cancelled = Signal<Void>()
    try await withServer { router in
      router.serverStreaming(.test("Endless", .serverStreaming)) { (_: Text, _, writer: ResponseWriter<Text>) in
        try await writer.write(Text("here"))
        await untilCancelled()
        cancelled.send()
      }
    } body: { server in
      let call = await server.client().start(.test("Endless"))
      try await call.send(Text())
      #expect(try await call.receive() == Text("here"))
      call.cancel()
      #expect(await cancelled.next() != nil)
      #expect(await call.finish().code == .cancelled)
    }
  }

  /// When the client's connection ends, a handler that waits for a request gets a `CancellationError`.
  @Test func lostConnectionCancelsTheHandler() async throws {
    let started = Signal<Void>()
    let cancelled = Signal<Void>()
    try await withServer { router in
      router.clientStreaming(.test("Wait", .clientStreaming)) { (requests: RequestStream<Text>, _) -> Text in
        started.send()
        do {
          for try await _ in requests {}
        } catch is CancellationError {
          cancelled.send()
          throw CancellationError()
        }
        return Text()
      }
    } body: { server in
      do {
        let client = server.client()
        let call = await client.start(.test("Wait"))
        #expect(await started.next() != nil)
        withExtendedLifetime(call) {}
      }
      #expect(await cancelled.next() != nil)
    }
  }

  /// The handler learns the client's deadline from its context.
  @Test func theContextHasTheDeadline() async throws {
    let contexts = Signal<CallContext>()
    try await withServer { router in
      router.unary(.test("Ping")) { (request: Text, context) in
        contexts.send(context)
        return request
      }
    } body: { server in
      let before = MonotonicInstant.now()
      let _: Text = try await server.client().unary(.test("Ping"), Text(), timeoutMilliseconds: 3_600_000)
      let context = try #require(await contexts.next())
      let deadline = try #require(context.deadline)
      // A client rounds long timeouts up, and reads its clock at another time than the server.
      #expect(deadline > before + 3_599_000_000_000)
      #expect(deadline < context.arrival + 3_660_000_000_000)
    }
  }

  /// The handler is cancelled when the client's deadline passes.
  @Test func deadlineCancelsTheHandler() async throws {
    let started = Atomic(0)
    let errors = Signal<RPCError>()
    try await withServer(interceptors: [ErrorRecorder(errors: errors)]) { router in
      router.unary(.test("Slow")) { (request: Text, context) in
        started.add(1, ordering: .relaxed)
        await untilCancelled()
        // The client's clock may end the call a moment before the server's clock reaches the deadline.
        while .now() < context.deadline ?? .epoch { await Task.yield() }
        try Task.checkCancellation()
        return request
      }
      router.unary(.test("Ping")) { (request: Text, _) in request }
    } body: { server in
      let client = server.client()
      // On a busy machine a call may not reach the server within a short deadline, so each further call has twice the
      // time.
      var timeout: Int64 = 20
      while started.load(ordering: .relaxed) == 0 {
        let _: Text = try await client.unary(.test("Ping"), Text())
        let call = await client.start(.test("Slow"), timeoutMilliseconds: timeout)
        try await call.send(Text())
        #expect(await call.finish().code == .deadlineExceeded)
        timeout *= 2
      }
      // Earlier calls may have ended before their handlers began, with other errors.
      while try #require(await errors.next()).code != .deadlineExceeded {}
    }
  }

  /// An interceptor gets the error of a call that the client cancelled, so that logs and metrics include such calls.
  @Test func interceptorSeesTheCancellation() async throws {
    let started = Signal<Void>()
    let errors = Signal<RPCError>()
    try await withServer(interceptors: [ErrorRecorder(errors: errors)]) { router in
      router.unary(.test("Slow")) { (request: Text, _) in
        started.send()
        await untilCancelled()
        try Task.checkCancellation()
        return request
      }
    } body: { server in
      let call = await server.client().start(.test("Slow"))
      try await call.send(Text())
      #expect(await started.next() != nil)
      call.cancel()
      #expect(await errors.next()?.code == .cancelled)
    }
  }

  /// When the task of a reader is cancelled, the message that comes next goes to the next reader of the same stream.
  @Test func cancelledReaderLeavesTheMessageToTheNext() async throws {
    let waiting = Signal<Void>()
    try await withServer { router in
      router.clientStreaming(.test("TwoReaders", .clientStreaming)) { (requests: RequestStream<Text>, _) -> Text in
        let impatient = Task {
          for try await _ in requests {}
        }
        impatient.cancel()
        await #expect(throws: CancellationError.self) { try await impatient.value }
        waiting.send()
        var texts: [String] = []
        for try await request in requests { texts.append(request.value) }
        return Text(texts.joined(separator: " "))
      }
    } body: { server in
      let call = await server.client().start(.test("TwoReaders"))
      #expect(await waiting.next() != nil)
      for text in ["a", "b"] { try await call.send(Text(text)) }
      #expect(await call.endWrites())
      #expect(try await call.receive() == Text("a b"))
    }
  }
}

/// Sends each error of a call to the test.
private struct ErrorRecorder: ServerInterceptor {
  let errors: Signal<RPCError>

  func intercept(_ context: CallContext, next: @Sendable (CallContext) async throws -> Void) async throws {
    do {
      try await next(context)
    } catch let error as RPCError {
      errors.send(error)
      throw error
    }
  }
}
