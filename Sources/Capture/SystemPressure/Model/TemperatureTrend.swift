internal import SystemClocks

/// How fast a temperature changes. Compares each reading with one that is 15 to 30 s old, because sensors count whole
/// degrees and jitter, so that the reading just before would tell nothing. A value; callers pass the time in.
struct TemperatureTrend: Hashable, Sendable {
  static let spanNanoseconds: UInt64 = 15_000_000_000

  private struct Sample: Hashable, Sendable {
    var millidegrees: Int
    var time: MonotonicInstant
  }
  private var older: Sample?
  private var newer: Sample?

  /// Takes the next reading. A missing temperature makes the trend begin anew.
  ///
  /// - Parameter millidegrees: thousandths of a degree Celsius; nil when the temperature could not be read.
  /// - Returns: thousandths of a degree per minute; nil until there is a reading that is old enough.
  mutating func update(_ millidegrees: Int?, now: MonotonicInstant) -> Int? {
    guard let millidegrees else {
      self = TemperatureTrend()
      return nil
    }
    if let newer, newer.time > now { self = TemperatureTrend() }
    if let newer {
      if now.nanoseconds(since: newer.time) >= Self.spanNanoseconds {
        older = newer
        self.newer = Sample(millidegrees: millidegrees, time: now)
      }
    } else {
      newer = Sample(millidegrees: millidegrees, time: now)
    }
    guard let older else { return nil }
    return (millidegrees - older.millidegrees) * 60_000 / Int(now.nanoseconds(since: older.time) / 1_000_000)
  }
}
