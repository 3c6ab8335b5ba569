import RPCCore
import RPCTestKit
import SwiftProtobuf
import Testing

/// Interceptors run around the handlers of a server, and may refuse calls.
@Suite(.timeLimit(.minutes(1)))
struct InterceptorTests {
  /// The first interceptor of the list begins first and ends last.
  @Test func firstIsOutermost() async throws {
    let events = Signal<String>()
    try await withServer(interceptors: [Named("a", events), Named("b", events)]) { router in
      router.unary(.test("Echo")) { (request: Text, _) in
        events.send("handler")
        return request
      }
    } body: { server in
      let _: Text = try await server.client().unary(.test("Echo"), Text())
      var seen: [String] = []
      for _ in 0..<5 { seen.append(try #require(await events.next())) }
      #expect(seen == ["a in", "b in", "handler", "b out", "a out"])
    }
  }

  /// When an interceptor throws, the client gets the interceptor's error, and the handler does not run.
  @Test func refusalReachesTheClient() async throws {
    try await withServer(interceptors: [Refusal()]) { router in
      router.unary(.test("Echo")) { (request: Text, _) in request }
    } body: { server in
      let status = await #expect(throws: TestStatus.self) {
        let _: Text = try await server.client().unary(.test("Echo"), Text())
      }
      #expect(status?.code == .unauthenticated)
      #expect(status?.reason == "NO_TOKEN")
    }
  }

  /// Reports to the test when it begins and when it ends.
  private struct Named: ServerInterceptor {
    let name: String
    let events: Signal<String>

    init(_ name: String, _ events: Signal<String>) {
      self.name = name
      self.events = events
    }

    func intercept(_ context: CallContext, next: @Sendable (CallContext) async throws -> Void) async throws {
      events.send("\(name) in")
      try await next(context)
      events.send("\(name) out")
    }
  }

  /// Refuses every call.
  private struct Refusal: ServerInterceptor {
    func intercept(_ context: CallContext, next: @Sendable (CallContext) async throws -> Void) async throws {
      throw RPCError(.unauthenticated, "no token", reason: "NO_TOKEN")
    }
  }
}
