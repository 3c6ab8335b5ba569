internal import Locking
internal import SystemClocks

/// The present instant by the clocks that tell the age of a segment. A value.
///
/// The wall clock may have been wrong when a segment was recorded, or may be wrong now. In the boot in which the
/// segment was recorded, the monotonic clock tells its age. A time of a clock that was evidently wrong tells nothing:
/// such a segment is as old as what was recorded after it, and at least as old as this boot.
struct RetentionClock: Sendable {
  /// When this program did not exist yet, 2026-01-01. A clock that shows an earlier time is wrong, as that of a board
  /// without a battery is after each start.
  static let earliest = WallInstant(nanoseconds: 1_767_225_600_000_000_000)

  var wall: WallInstant
  var monotonic: MonotonicInstant
  /// The id of this boot. Empty when nobody knows it.
  var boot: String
  /// The earliest time that the wall clock shows while it is right.
  var earliest = WallInstant.epoch

  static func now(boot: String) -> RetentionClock {
    RetentionClock(wall: .now(), monotonic: .now(), boot: boot, earliest: earliest)
  }

  /// An age, and whether a clock told it.
  struct Age: Hashable, Sendable {
    /// Nanoseconds. Without a date, the segment is at least so old.
    var nanoseconds: UInt64
    /// False when only the order of the segments and this boot tell the age.
    var isDated = true
  }

  /// The times of a segment by all clocks.
  struct Times: Sendable {
    var number: UInt64
    var start: WallInstant
    var startMonotonic: MonotonicInstant?
    var boot: String?
    var duration: UInt64

    init(_ record: RecordingRecord) {
      number = record.number
      start = record.startTime ?? record.requestTime
      startMonotonic = record.startMonotonic
      boot = record.boot
      duration = record.duration
    }

    /// - Parameter sinceStart: nanoseconds.
    fileprivate func sinceEnd(_ sinceStart: UInt64) -> UInt64 { sinceStart - min(sinceStart, duration) }
  }

  /// The times since the ends of segments, in the order of `segments`.
  ///
  /// - Parameter segments: all segments of a session, in any order.
  func ages(of segments: [Times]) -> [Age] {
    var ages = segments.map(age)
    guard ages.contains(where: { !$0.isDated }) else { return ages }
    let origins = self.origins(of: segments)
    for index in ages.indices where !ages[index].isDated {
      guard let boot = segments[index].boot, let origin = origins[boot], let since = segments[index].startMonotonic
      else { continue }
      ages[index] = dated(origin + since.nanoseconds, segments[index])
    }
    // What was recorded earlier is at least as old.
    var newest: UInt64 = 0
    for index in segments.indices.sorted(by: { segments[$0].number > segments[$1].number }) {
      if !ages[index].isDated { ages[index].nanoseconds = max(ages[index].nanoseconds, newest) }
      newest = max(newest, ages[index].nanoseconds)
    }
    return ages
  }

  /// The time since the end of a segment, in nanoseconds, by what the segment alone tells.
  func age(of record: RecordingRecord) -> UInt64 { age(Times(record)).nanoseconds }

  private func age(_ segment: Times) -> Age {
    if !boot.isEmpty, segment.boot == boot, let start = segment.startMonotonic {
      return Age(nanoseconds: segment.sinceEnd(monotonic.nanoseconds(since: start)))
    }
    return dated(segment.start, segment)
  }

  /// The age of a segment that was not recorded in this boot, or of which nobody knows the boot.
  private func dated(_ start: WallInstant, _ segment: Times) -> Age {
    let isDated = start >= earliest && wall >= earliest
    let byWall = isDated ? segment.sinceEnd(wall.nanoseconds(since: start)) : 0
    guard !boot.isEmpty, segment.boot != nil, segment.startMonotonic != nil else {
      return Age(nanoseconds: byWall, isDated: isDated)
    }
    // A segment of an earlier boot is older than this boot, also when its time lies in the future.
    return Age(nanoseconds: max(byWall, monotonic.nanoseconds), isDated: isDated)
  }

  /// For each boot in which the clock was right at last, the time at which its monotonic clock began.
  private func origins(of segments: [Times]) -> [String: WallInstant] {
    var newest: [String: Times] = [:]
    for segment in segments {
      guard let boot = segment.boot, segment.start >= earliest, segment.startMonotonic != nil,
        newest[boot].map({ $0.number < segment.number }) ?? true
      else { continue }
      newest[boot] = segment
    }
    return newest.compactMapValues { segment in
      guard let since = segment.startMonotonic?.nanoseconds, segment.start.nanoseconds > since else { return nil }
      return WallInstant(nanoseconds: segment.start.nanoseconds - since)
    }
  }
}
