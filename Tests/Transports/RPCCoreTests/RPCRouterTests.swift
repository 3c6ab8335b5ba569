import RPCCore
import RPCTestKit
import SwiftProtobuf
import Testing

/// The router finds the handler of a call by the path of the request.
struct RPCRouterTests {
  /// The path of an HTTP request becomes the name of a method, and the name becomes the same path again.
  @Test func pathBecomesAMethodName() {
    let name = MethodName(path: "/grpc.health.v1.Health/Check")
    #expect(name == Grpc_Health_V1_Health.check.name)
    #expect(name.path == "/grpc.health.v1.Health/Check")
  }

  /// A path without a service and a method leads to no handler, and the lookup of such a path does not fail otherwise.
  @Test(arguments: ["", "/", "/a", "a/b", "no"])
  func pathWithoutAMethodHasNoRoute(path: String) {
    var router = RPCRouter(access: nil)
    router.unary(.test("Echo")) { (request: Text, _) in request }
    #expect(router.route(for: MethodName(path: path)) == nil)
  }

  /// A route has the kind of its method and the size of its requests, which a transport needs before the handler runs.
  /// The router lists the services that it has.
  @Test func routeHasTheKindAndTheRequestSize() throws {
    var router = RPCRouter(access: nil)
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
