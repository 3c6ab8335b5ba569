import GRPCTransport
import SwiftProtobuf
import Testing

@Suite(.timeLimit(.minutes(1)))
struct CancellationTests {
  @Test func clientCancelCancelsTheHandler() async throws {
    let cancelled = Signal<Void>()
    try await withServer { router in
      router.serverStreaming(.test("Endless")) { (_: Text, _, writer: ResponseWriter<Text>) in
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

  @Test func lostConnectionCancelsTheHandler() async throws {
    let started = Signal<Void>()
    let cancelled = Signal<Void>()
    try await withServer { router in
      router.clientStreaming(.test("Wait")) { (requests: RequestStream<Text>, _) -> Text in
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

  @Test func deadlineCancelsTheHandler() async throws {
    let deadlines = Signal<(arrival: UInt64, deadline: UInt64?)>()
    try await withServer { router in
      router.unary(.test("Slow")) { (request: Text, context) in
        await untilCancelled()
        deadlines.send((context.arrivalNanoseconds, context.deadlineNanoseconds))
        return request
      }
    } body: { server in
      let call = await server.client().start(.test("Slow"), timeoutMilliseconds: 100)
      try await call.send(Text())
      #expect(await call.finish().code == .deadlineExceeded)
      let (arrival, deadline) = try #require(await deadlines.next())
      #expect(try #require(deadline) > arrival)
      #expect(try #require(deadline) < arrival + 1_000_000_000)
    }
  }

  @Test func interceptorsSeeWhyACallWasCancelled() async throws {
    let errors = Signal<RPCError>()
    try await withServer(interceptors: [ErrorRecorder(errors: errors)]) { router in
      router.unary(.test("Slow")) { (request: Text, _) in
        await untilCancelled()
        try Task.checkCancellation()
        return request
      }
    } body: { server in
      let late = await server.client().start(.test("Slow"), timeoutMilliseconds: 50)
      try await late.send(Text())
      #expect(await errors.next()?.code == .deadlineExceeded)

      let impatient = await server.client().start(.test("Slow"))
      try await impatient.send(Text())
      impatient.cancel()
      #expect(await errors.next()?.code == .cancelled)
    }
  }

  @Test func cancelledReaderLeavesTheMessageToTheNext() async throws {
    let waiting = Signal<Void>()
    try await withServer { router in
      router.clientStreaming(.test("TwoReaders")) { (requests: RequestStream<Text>, _) -> Text in
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
