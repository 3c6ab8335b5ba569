import SystemClocks
import Testing

@Suite struct ClockInstantTests {
  private let earlier = MonotonicInstant(nanoseconds: 100)
  private let later = MonotonicInstant(nanoseconds: 107)

  @Test func instantsAreOrderedByTheirTime() {
    #expect(earlier < later)
    #expect(max(earlier, later) == later)
    #expect((MonotonicInstant.epoch...MonotonicInstant.distantFuture).contains(earlier))
  }

  @Test func aSpanIsAddedAndTakenOff() {
    #expect(earlier + 7 == later)
    #expect(later - 7 == earlier)
    #expect(earlier - 101 == .epoch, "no instant is before the epoch")
  }

  @Test func theDistanceFromALaterInstantIsZero() {
    #expect(later.nanoseconds(since: earlier) == 7)
    #expect(earlier.nanoseconds(since: later) == 0)
    #expect(WallInstant.epoch.nanoseconds(since: .distantFuture) == 0)
  }

  @Test func theSignedDistanceTellsWhichInstantIsLater() {
    #expect(later.signedNanoseconds(since: earlier) == 7)
    #expect(earlier.signedNanoseconds(since: later) == -7)
  }

  @Test func eachClockIsRead() {
    // Each clock is read twice. The wall clock may be set in between, so that only its year is checked.
    let (monotonic, boot) = (MonotonicInstant.now(), BootInstant.now())
    #expect(monotonic <= .now() && boot <= .now())
    #expect(monotonic.nanoseconds <= boot.nanoseconds, "CLOCK_BOOTTIME also counts suspended time")
    #expect(WallInstant.now().nanoseconds > 1_700_000_000 * 1_000_000_000, "after 2023")
  }

  @Test func aThreadThatWorksSpendsItsTime() {
    let before = ThreadTime.nanoseconds()
    var sum = 0
    while ThreadTime.nanoseconds() == before { sum += 1 }
    #expect(ThreadTime.nanoseconds() > before)
  }
}
