import GoogleRPC
import Logging
import RPCCore
import RPCTestKit
import SwiftProtobuf
import SystemClocks
import Testing

/// The executor runs handlers, and all tests use a transport in memory. Handlers therefore need no gRPC.
@Suite(.timeLimit(.minutes(1))) struct CallExecutorTests {
  /// Runs a call to its end on a server with the given methods.
  private func run(
    _ call: InMemoryCall, interceptors: [any ServerInterceptor] = [],
    errorMapper: @escaping @Sendable (any Error) -> RPCError? = { _ in nil }, routes: (inout RPCRouter) -> Void
  ) async {
    var router = RPCRouter(access: nil)
    routes(&router)
    await CallExecutor(
      router: router, interceptors: interceptors, errorMapper: errorMapper, errorDomain: "test",
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    ).run(call)
  }

  /// A method with one request and one response works. The interceptors run before the handler, the first one first.
  @Test func unary() async throws {
    let call = try InMemoryCall(.test("Echo"), [Text("a")])
    await run(call, interceptors: [Marking("outer"), Marking("inner")]) { router in
      router.unary(.test("Echo")) { (request: Text, context) in
        context.trailingMetadata.add("handler", forKey: "x-mark")
        return Text("echo \(request.value)")
      }
    }
    #expect(call.code == .ok)
    #expect(try call.responses() == [Text("echo a")])
    #expect(call.trailingMetadata?.values(forKey: "x-mark") == [.text("outer"), .text("inner"), .text("handler")])
  }

  /// A method with one request and a stream of responses works.
  @Test func serverStreaming() async throws {
    let call = try InMemoryCall(.test("Count"), [Text("3")])
    await run(call) { router in
      router.serverStreaming(.test("Count", .serverStreaming)) { (request: Text, _, writer: ResponseWriter<Text>) in
        for i in 0..<Int(request.value)! { try await writer.write(Text("\(i)")) }
      }
    }
    #expect(call.code == .ok)
    #expect(try call.responses() == [Text("0"), Text("1"), Text("2")])
  }

  /// A handler can let a source write its responses. The call ends with the source's error.
  @Test func sourceWritesAStream() async throws {
    let call = try InMemoryCall(.test("Count"), [Text()])
    await run(call) { router in
      router.serverStreaming(.test("Count", .serverStreaming)) { (_: Text, _, writer: ResponseWriter<Text>) in
        try await writer.write(from: Countdown(from: 3))
      }
    }
    #expect(call.error?.reason == "LIFT_OFF")
    #expect(try call.responses() == [Text("3"), Text("2"), Text("1")])
  }

  /// A method with a stream of requests and one response works.
  @Test func clientStreaming() async throws {
    let call = try InMemoryCall(.test("Join"), [Text("a"), Text("b")])
    await run(call) { router in
      router.clientStreaming(.test("Join", .clientStreaming)) { (requests: RequestStream<Text>, _) in
        Text(try await requests.reduce("") { $0 + $1.value })
      }
    }
    #expect(try call.responses() == [Text("ab")])
  }

  /// A method with a stream of requests and a stream of responses works.
  @Test func bidirectional() async throws {
    let call = try InMemoryCall(.test("Chat"), [Text("a"), Text("b")])
    await run(call) { router in
      router.bidirectional(.test("Chat", .bidirectional)) {
        (requests: RequestStream<Text>, _, writer: ResponseWriter<Text>) in
        for try await request in requests { try await writer.write(Text("re: \(request.value)")) }
      }
    }
    #expect(try call.responses() == [Text("re: a"), Text("re: b")])
  }

  /// An error that is no `RPCError` goes through the error mapper, gets the server's domain, and comes with the
  /// trailing metadata that the handler has added.
  @Test func errorsAreCompletedAndMapped() async throws {
    struct Overheated: Error {}
    let call = try InMemoryCall(.test("Fail"), [Text()])
    await run(call, errorMapper: { $0 is Overheated ? RPCError(.unavailable, "too hot", reason: "HEAT") : nil }) {
      $0.unary(.test("Fail")) { (_: Text, context) -> Text in
        context.trailingMetadata.add("yes", forKey: "x-mark")
        throw Overheated()
      }
    }
    #expect(call.code == .unavailable)
    #expect(call.error?.reason == "HEAT")
    #expect(call.error?.errorInfo?.domain == "test")
    #expect(call.trailingMetadata?["x-mark"] == "yes", "trailing metadata comes with an error, too")
  }

  /// A call of a method that the router does not have fails with `METHOD_NOT_FOUND`.
  @Test func unknownMethod() async throws {
    let call = try InMemoryCall(.test("Nothing"), [Text()])
    await run(call) { _ in }
    #expect(call.code == .unimplemented)
    #expect(call.error?.reason == "METHOD_NOT_FOUND")
  }

  /// A call without a request, with bytes that are no message, or with a request that is too large fails before its
  /// handler runs, with a reason that says which of these is wrong.
  @Test(arguments: [
    ([], "MISSING_REQUEST"), ([[0xff, 0xff]], "MALFORMED_REQUEST"),
    ([[UInt8](repeating: 0, count: 11)], "REQUEST_TOO_LARGE"),
  ])
  func badRequests(requests: [[UInt8]], reason: String) async {
    let call = InMemoryCall(.test("Echo"), requests: requests, maximumRequestBytes: 10)
    await run(call) { $0.unary(.test("Echo")) { (request: Text, _) in request } }
    #expect(call.error?.reason == reason)
  }

  /// When the client goes away, the handler's task is cancelled and the call ends with `CANCELLED`.
  @Test func aClientThatGoesAwayCancelsTheHandler() async throws {
    let call = try InMemoryCall(.test("Endless"), [Text()])
    let started = Signal<Void>()
    let running = Task {
      await run(call) { router in
        router.serverStreaming(.test("Endless", .serverStreaming)) { (_: Text, _, _: ResponseWriter<Text>) in
          started.send()
          await untilCancelled()
          try Task.checkCancellation()
        }
      }
    }
    #expect(await started.next() != nil)
    #expect(call.code == nil)
    call.cancel()
    await running.value
    #expect(call.code == .cancelled)
  }

  /// When the client's deadline has passed, the call ends with `DEADLINE_EXCEEDED` and not with `CANCELLED`.
  @Test func passedDeadlineIsTheReportedError() async throws {
    let call = try InMemoryCall(.test("Slow"), [Text()], deadline: MonotonicInstant(nanoseconds: 1))
    call.cancel()
    await run(call) { $0.unary(.test("Slow")) { (request: Text, _) in request } }
    #expect(call.code == .deadlineExceeded)
  }
}

/// Adds a trailing metadata entry before the handler runs, so that the test sees the order of the interceptors.
private struct Marking: ServerInterceptor {
  let mark: String

  init(_ mark: String) { self.mark = mark }

  func intercept(_ context: CallContext, next: @Sendable (CallContext) async throws -> Void) async throws {
    context.trailingMetadata.add(mark, forKey: "x-mark")
    try await next(context)
  }
}
