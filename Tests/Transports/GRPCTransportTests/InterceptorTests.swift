import RPCCore
import RPCTestKit
import SwiftProtobuf
import Testing

@Suite(.timeLimit(.minutes(1)))
struct InterceptorTests {
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

  @Test func refusalIsTheOutcome() async throws {
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

  private struct Refusal: ServerInterceptor {
    func intercept(_ context: CallContext, next: @Sendable (CallContext) async throws -> Void) async throws {
      throw RPCError(.unauthenticated, "no token", reason: "NO_TOKEN")
    }
  }
}
