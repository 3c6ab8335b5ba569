internal import SystemClocks

/// The present instant by the clocks that tell the age of a segment. A value.
///
/// The wall clock may have been wrong when a segment was recorded, or may be wrong now. In the boot in which the
/// segment was recorded, the monotonic clock tells its age.
struct RetentionClock: Sendable {
  var wall: WallInstant
  var monotonic: MonotonicInstant
  /// The id of this boot. Empty when nobody knows it.
  var boot: String

  static func now(boot: String) -> RetentionClock { RetentionClock(wall: .now(), monotonic: .now(), boot: boot) }

  /// The time since the end of a segment, in nanoseconds.
  func age(of record: RecordingRecord) -> UInt64 {
    func sinceEnd(_ sinceStart: UInt64) -> UInt64 { sinceStart - min(sinceStart, record.duration) }
    let byWall = sinceEnd(wall.nanoseconds(since: record.startTime ?? record.requestTime))
    guard !boot.isEmpty, let itsBoot = record.boot, let start = record.startMonotonic else { return byWall }
    if itsBoot == boot { return sinceEnd(monotonic.nanoseconds(since: start)) }
    // A segment of an earlier boot is older than this boot, also when its time lies in the future.
    return max(byWall, monotonic.nanoseconds)
  }
}
