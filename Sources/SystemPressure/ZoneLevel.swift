/// The level of one zone over time: rises at once, falls with hysteresis. A value; time is passed in.
///
/// Falling: once every reading for 3 s was at least 3 °C below the threshold of the present level, the level becomes
/// what the newest temperature gives with the same margin. Levels may be skipped both ways. A reading without a
/// temperature, or without thresholds, counts as cold: it never raises the level, and 3 s of them end it.
struct ZoneLevel: Hashable, Sendable {
  static let margin = 3_000
  static let holdNanoseconds: UInt64 = 3_000_000_000

  private(set) var level = PressureLevel.nominal
  /// Since when every reading allowed a lower level.
  private var fallingSince: UInt64?

  /// Takes the next reading.
  ///
  /// - Parameter now: CLOCK_MONOTONIC, nanoseconds.
  mutating func update(millidegrees: Int?, thresholds: LevelThresholds?, now: UInt64) {
    var risen = PressureLevel.nominal
    var kept = PressureLevel.nominal
    if let millidegrees, let thresholds {
      risen = thresholds.level(at: millidegrees)
      // Exactly 3 °C below a threshold is low enough to leave its level.
      kept = thresholds.level(at: millidegrees + Self.margin - 1)
    }
    if risen >= level {
      level = risen
      fallingSince = nil
    } else if kept >= level {
      fallingSince = nil
    } else if let since = fallingSince, since <= now {
      guard now - since >= Self.holdNanoseconds else { return }
      level = kept
      fallingSince = nil
    } else {
      fallingSince = now
    }
  }
}
