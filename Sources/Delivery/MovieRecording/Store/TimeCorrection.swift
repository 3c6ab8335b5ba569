internal import SystemClocks

/// Finds the true times of segments that were recorded in this boot while the wall clock was evidently wrong, as that
/// of a board without a battery is until the time comes from the network. A value.
///
/// The monotonic clock tells how long ago such a segment began, so its time is known as soon as the wall clock is
/// right. A suspension of the machine in between would not count, because the monotonic clock stands still then.
struct TimeCorrection: Sendable {
  /// The id of this boot. Empty when nobody knows it.
  private let boot: String
  /// When the monotonic clock began; nil while the wall clock is wrong.
  private let origin: WallInstant?

  /// - Parameters:
  ///   - boot: the id of this boot. Empty when nobody knows it.
  ///   - wall: the present instant on the wall clock.
  ///   - monotonic: the same instant.
  init(boot: String, wall: WallInstant, monotonic: MonotonicInstant) {
    self.boot = boot
    let isRight = wall >= RetentionClock.earliest && wall.nanoseconds > monotonic.nanoseconds
    origin = isRight ? WallInstant(nanoseconds: wall.nanoseconds - monotonic.nanoseconds) : nil
  }

  /// The correction by the clocks of the machine as they are now. Segments that begin from now on have their times by
  /// the same measurement.
  static func now(boot: String) -> TimeCorrection {
    let monotonic = MonotonicInstant.now()
    return TimeCorrection(boot: boot, wall: WallClock.shared.wallInstant(at: monotonic), monotonic: monotonic)
  }

  /// The record with its true times; nil when its times stay as they are.
  func corrected(_ record: RecordingRecord) -> RecordingRecord? {
    guard let start = record.startTime, start < RetentionClock.earliest, let origin, !boot.isEmpty, record.boot == boot,
      let stamp = record.startMonotonic
    else { return nil }
    var record = record
    let found = origin + stamp.nanoseconds
    record.requestTime = record.requestTime + found.nanoseconds(since: start)
    record.startTime = found
    return record
  }
}
