import Testing

@testable import SystemClocks

/// Tests how time stamps of CLOCK_MONOTONIC become times of the wall clock.
@Suite struct WallClockTests {
  /// The present instant of the monotonic clock converts to the present time of the wall clock.
  @Test func aMonotonicInstantConvertsToTheWallClock() {
    let clock = WallClock()
    let before = WallInstant.now()
    let found = clock.wallInstant(at: .now())
    let after = WallInstant.now()
    // The offset between the clocks is as exact as the time between the two reads that enclose its sample. The
    // tolerance of 0.1 s allows for a thread that was preempted between the reads.
    #expect(found + 100_000_000 > before)
    #expect(found < after + 100_000_000)
  }

  /// Two instants keep their order and about their distance on the wall clock.
  @Test func distancesBetweenInstantsAreKept() {
    let clock = WallClock()
    let now = MonotonicInstant.now()
    let first = clock.wallInstant(at: now)
    let second = clock.wallInstant(at: now + 33_333_333)
    // The distance is exact while the offset is the same. The clock may take a new sample between the two calls, for
    // which the tolerance of 0.1 s allows.
    #expect(second > first)
    #expect(second.nanoseconds(since: first) < 133_333_333)
  }
}
