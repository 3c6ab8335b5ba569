import SystemClocks
import Testing

@testable import FirstlightServices

/// How many lines a minute go into the log.
struct LogAllowanceTests {
  private static func time(_ seconds: UInt64) -> MonotonicInstant {
    MonotonicInstant(nanoseconds: 5_000_000_000 + seconds * 1_000_000_000)
  }

  @Test func aMinuteHasSoManyLinesAndTheNextOneTellsHowManyWereLeftOut() {
    var allowance = LogAllowance()
    for _ in 0..<LogAllowance.lines { #expect(allowance.take(at: Self.time(0)) == 0) }
    for second in [0, 1, 59] as [UInt64] { #expect(allowance.take(at: Self.time(second)) == nil) }
    #expect(allowance.take(at: Self.time(60)) == 3)
    #expect(allowance.take(at: Self.time(61)) == 0)
  }
}
