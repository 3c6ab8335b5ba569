import RPCCore
import SwiftProtobuf
import Testing

/// The standard health service tells clients and supervisors whether the server and its services are serving.
@Suite(.timeLimit(.minutes(1)))
struct HealthTests {
  private typealias Request = Grpc_Health_V1_HealthCheckRequest
  private typealias Response = Grpc_Health_V1_HealthCheckResponse

  /// `Check` returns the status of the whole server and of each service independently, and `NOT_FOUND` for a service
  /// that the server does not have.
  @Test func check() async throws {
    let health = HealthState(services: ["test.v1.Test"])
    try await withServer {
      HealthService.register(on: &$0, state: health)
    } body: { server in
      let client = server.client()
      try await #expect(check("", client) == .serving)
      try await #expect(check("test.v1.Test", client) == .serving)
      health.set(.notServing, for: "test.v1.Test")
      try await #expect(check("test.v1.Test", client) == .notServing)
      try await #expect(check("", client) == .serving)
      let error = await #expect(throws: TestStatus.self) { try await check("nobody", client) }
      #expect(error?.code == .notFound)
      #expect(error?.reason == "SERVICE_NOT_FOUND")
    }
  }

  /// `Watch` sends the status of a service immediately and after each change. A shutdown is the last change, and then
  /// the stream ends with `UNAVAILABLE`.
  @Test func watchReportsChangesUntilShutdown() async throws {
    let health = HealthState(services: [])
    try await withServer(health: health) {
      HealthService.register(on: &$0, state: health)
    } body: { server in
      let call = await server.client().start(Grpc_Health_V1_Health.watch.name)
      try await call.send(Request.with { $0.service = "late" })
      #expect(try await call.receive().map(Self.status) == .serviceUnknown)
      health.set(.serving, for: "late")
      #expect(try await call.receive().map(Self.status) == .serving)
      health.set(.notServing, for: "late")
      #expect(try await call.receive().map(Self.status) == .notServing)
      health.set(.serving, for: "late")
      #expect(try await call.receive().map(Self.status) == .serving)
      server.shutDown()
      #expect(try await call.receive().map(Self.status) == .notServing)
      #expect(await call.read() == nil)
      #expect(await call.finish().code == .unavailable)
    }
  }

  /// Asks for the status of a service. Throws the status of a call that fails.
  private func check(_ service: String, _ client: TestClient) async throws -> Response.ServingStatus {
    Self.status(try await client.unary(Grpc_Health_V1_Health.check.name, Request.with { $0.service = service }))
  }

  private static func status(_ response: Response) -> Response.ServingStatus { response.status }
}
