import SystemClocks
import Testing

/// Tests how instants of one clock are compared, moved and subtracted. The frame path computes with time stamps of
/// drivers, so no order of two instants may trap.
@Suite struct ClockInstantTests {
  private let earlier = MonotonicInstant(nanoseconds: 100)
  private let later = MonotonicInstant(nanoseconds: 107)

  /// The order of instants is the order of their times, so that ranges and `max` work with them.
  @Test func instantsAreOrderedByTheirTime() {
    #expect(earlier < later)
    #expect(max(earlier, later) == later)
    #expect((MonotonicInstant.epoch...MonotonicInstant.distantFuture).contains(earlier))
  }

  /// A span of nanoseconds is added and subtracted. The subtraction stops at the clock's epoch.
  @Test func aSpanIsAddedAndSubtracted() {
    #expect(earlier + 7 == later)
    #expect(later - 7 == earlier)
    #expect(earlier - 101 == .epoch, "no instant is before the epoch")
  }

  /// The unsigned distance is 0, instead of trapping, when the other instant is later.
  @Test func theDistanceFromALaterInstantIsZero() {
    #expect(later.nanoseconds(since: earlier) == 7)
    #expect(earlier.nanoseconds(since: later) == 0)
    #expect(WallInstant.epoch.nanoseconds(since: .distantFuture) == 0)
  }

  /// The signed distance is negative when the other instant is later.
  @Test func theSignedDistanceTellsWhichInstantIsLater() {
    #expect(later.signedNanoseconds(since: earlier) == 7)
    #expect(earlier.signedNanoseconds(since: later) == -7)
  }

  /// `now()` reads the clock that its type names. CLOCK_BOOTTIME is never behind CLOCK_MONOTONIC, and the wall clock,
  /// which may be set at any time, shows a year after 2023.
  @Test func eachTypeReadsItsClock() {
    let (monotonic, boot) = (MonotonicInstant.now(), BootInstant.now())
    #expect(monotonic <= .now() && boot <= .now())
    #expect(monotonic.nanoseconds <= boot.nanoseconds, "CLOCK_BOOTTIME also counts suspended time")
    #expect(WallInstant.now().nanoseconds > 1_700_000_000 * 1_000_000_000, "after 2023")
  }

  /// The processor time of a thread grows while the thread computes.
  @Test func theTimeOfAThreadGrowsWhileItWorks() {
    let before = ThreadTime.nanoseconds()
    var sum = 0
    while ThreadTime.nanoseconds() == before { sum += 1 }
    #expect(ThreadTime.nanoseconds() > before)
  }
}
