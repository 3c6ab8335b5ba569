import CGRPCTestClient
import Testing

/// gRPC's sleep, which the shim replaces so that the threads that run callbacks never sleep.
@Suite(.timeLimit(.minutes(1)))
struct NapTests {
  @Test func threadsThatRunCallbacksDoNotSleep() {
    #expect(ctest_gpr_sleep("nexting_thread", 3600) < 3600)
  }

  @Test func otherThreadsSleep() {
    #expect(ctest_gpr_sleep("timer", 0.05) >= 0.05)
  }
}
