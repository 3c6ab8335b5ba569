import RPCCore
import Testing

/// The statuses of services, which the health service reports to clients.
struct HealthStateTests {
  /// After a shutdown every known service is not serving, whatever is set later. A second shutdown has no effect.
  @Test func nothingIsServingAfterShutdown() {
    let health = HealthState(services: ["a"])
    health.shutDown()
    health.shutDown()
    health.set(.serving, for: "a")
    #expect(health.status(of: "a") == .notServing)
    #expect(health.status(of: "") == .notServing)
    #expect(health.status(of: "b") == nil)
  }
}
