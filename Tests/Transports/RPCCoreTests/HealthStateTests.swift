import RPCCore
import Testing

struct HealthStateTests {
  @Test func stateAfterShutdown() {
    let health = HealthState(services: ["a"])
    health.shutDown()
    health.shutDown()
    health.set(.serving, for: "a")
    #expect(health.status(of: "a") == .notServing)
    #expect(health.status(of: "") == .notServing)
    #expect(health.status(of: "b") == nil)
  }
}
