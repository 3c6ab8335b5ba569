import SystemClocks
import Testing

@Suite struct WallClockTests {
  @Test func aMonotonicInstantIsFoundOnTheWall() {
    let clock = WallClock()
    let before = WallInstant.now()
    let found = clock.wallInstant(at: .now())
    let after = WallInstant.now()
    // The offset is as good as the bracket it was measured in; a tenth of a second allows for any preemption.
    #expect(found + 100_000_000 > before)
    #expect(found < after + 100_000_000)
  }

  @Test func distancesAreKept() {
    let clock = WallClock()
    let now = MonotonicInstant.now()
    let first = clock.wallInstant(at: now)
    let second = clock.wallInstant(at: now + 33_333_333)
    // Exact within one sampling of the offset; a new one may fall between the two calls.
    #expect(second > first)
    #expect(second.nanoseconds(since: first) < 133_333_333)
  }
}
