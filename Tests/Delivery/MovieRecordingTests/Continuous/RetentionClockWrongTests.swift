import CaptureCore
import SystemClocks
import Testing
import VideoCoding

@testable import MovieRecording

/// The age of segments of which the wall clock was evidently wrong, before the program existed.
struct RetentionClockWrongTests {
  private static let second: UInt64 = 1_000_000_000
  private static let day: UInt64 = 86_400

  /// Times of a segment of ten seconds. `wall` is in seconds since 1970, `monotonic` in seconds since its boot.
  private func times(
    _ number: UInt64, wall: UInt64, monotonic: UInt64, boot: String? = "before"
  ) -> RetentionClock.Times {
    var record = RecordingRecord(
      id: "\(number)", session: "s", output: "movie", file: "a.mp4", container: .mp4, codec: .h264,
      size: Size(width: 2, height: 2), requestTime: WallInstant(nanoseconds: wall * Self.second))
    record.startMonotonic = MonotonicInstant(nanoseconds: monotonic * Self.second)
    record.duration = 10 * Self.second
    record.boot = boot
    record.number = number
    return RetentionClock.Times(record)
  }

  /// A day of 2026, in seconds since 1970.
  private let today = RetentionClock.earliest.nanoseconds / second + 300 * day

  /// The ages in seconds, 1,000 s after the boot; nil for those without a date, of which `atLeast` is the age.
  private func ages(_ segments: [RetentionClock.Times], now: UInt64? = nil) -> [RetentionClock.Age] {
    let clock = RetentionClock(
      wall: WallInstant(nanoseconds: (now ?? today) * Self.second),
      monotonic: MonotonicInstant(nanoseconds: 1000 * Self.second), boot: "now", earliest: RetentionClock.earliest)
    return clock.ages(of: segments).map {
      RetentionClock.Age(nanoseconds: $0.nanoseconds / Self.second, isDated: $0.isDated)
    }
  }

  private func undated(_ seconds: UInt64) -> RetentionClock.Age {
    RetentionClock.Age(nanoseconds: seconds, isDated: false)
  }

  /// Footage of a boot in 1970 that is seconds old is not 56 years old. It is at least as old as the boot after it.
  @Test func footageOfTheYear1970IsNotOld() {
    #expect(ages([times(1, wall: 60, monotonic: 60)]) == [undated(1000)])
  }

  /// It goes with what was recorded after it, so that it does not stay for ever.
  @Test func footageWithoutADateIsAsOldAsWhatCameAfterIt() {
    let later = times(2, wall: today - 9 * Self.day - 10, monotonic: 5, boot: "between")
    let found = ages([
      times(1, wall: 60, monotonic: 60), later, times(3, wall: today - 10, monotonic: 990, boot: "now"),
    ])
    #expect(found == [undated(9 * Self.day), .init(nanoseconds: 9 * Self.day), .init(nanoseconds: 0)])
  }

  /// When the clock of that boot was set later, the segments before get their dates from it.
  @Test func aBootWhoseClockWasSetDatesItsEarlierSegments() {
    let start = today - 3 * Self.day
    let found = ages([times(1, wall: 60, monotonic: 60), times(2, wall: start + 200 - 60, monotonic: 200)])
    #expect(found[0] == .init(nanoseconds: 3 * Self.day + 60 - 60 - 10), "\(found)")
    #expect(found[1].isDated)
  }

  /// While the clock is wrong now, no earlier footage gets older than this boot.
  @Test func aClockThatIsWrongNowAgesNothing() {
    #expect(ages([times(1, wall: today, monotonic: 60)], now: 90) == [undated(1000)])
    #expect(ages([times(1, wall: 60, monotonic: 60)], now: 90) == [undated(1000)])
  }

  /// In the same boot only the monotonic clock counts, and without an id of the boot nothing is known.
  @Test func thisBootAndNoBoot() {
    #expect(ages([times(1, wall: 60, monotonic: 900, boot: "now")]) == [.init(nanoseconds: 90)])
    #expect(ages([times(1, wall: 60, monotonic: 900, boot: nil)]) == [undated(0)])
  }
}
