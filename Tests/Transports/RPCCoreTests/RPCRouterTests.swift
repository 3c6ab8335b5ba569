import RPCCore
import RPCTestKit
import SwiftProtobuf
import Testing

struct RPCRouterTests {
  @Test func aPathIsTheNameOfAMethod() {
    let name = MethodName(path: "/grpc.health.v1.Health/Check")
    #expect(name == Grpc_Health_V1_Health.check.name)
    #expect(name.path == "/grpc.health.v1.Health/Check")
  }

  @Test(arguments: ["", "/", "/a", "a/b", "no"])
  func aPathThatNamesNoMethodIsNotInAnyRouter(path: String) {
    var router = RPCRouter()
    router.unary(.test("Echo")) { (request: Text, _) in request }
    #expect(router.route(for: MethodName(path: path)) == nil)
  }

  @Test func aRouteTellsWhatATransportHasToKnow() throws {
    var router = RPCRouter()
    router.unary(.test("Echo")) { (request: Text, _) in request }
    router.bidirectional(.test("Chat", .bidirectional), requests: .large) {
      (_: RequestStream<Text>, _, _: ResponseWriter<Text>) in
    }
    HealthService.register(on: &router, state: HealthState(services: []))
    #expect(router.services == ["grpc.health.v1.Health", "test.v1.Test"])
    let chat = try #require(router.route(for: MethodName(path: "/test.v1.Test/Chat")))
    #expect(chat.method.kind == .bidirectional)
    #expect(chat.requests == .large)
    #expect(router.route(for: .test("Echo"))?.requests == .small)
  }
}
