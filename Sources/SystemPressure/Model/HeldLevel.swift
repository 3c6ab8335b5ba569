internal import CaptureCore

/// A level over time: rises at once, falls with hysteresis. A value; time is passed in.
///
/// Falling: once every reading for 3 s allowed a lower level with the margin of its kind, the level becomes what the
/// newest reading gives with the same margin. Levels may be skipped both ways. No reading counts as nominal: it never
/// raises the level, and 3 s of them end it.
struct HeldLevel: Hashable, Sendable {
  static let holdNanoseconds: UInt64 = 3_000_000_000

  private(set) var level = PressureLevel.nominal
  /// Since when every reading allowed a lower level.
  private var fallingSince: UInt64?

  /// Takes the next reading.
  ///
  /// - Parameters:
  ///   - risen: what it gives by itself.
  ///   - kept: what it gives to a level that already holds: with the margin. At least `risen`.
  ///   - now: CLOCK_MONOTONIC, nanoseconds.
  mutating func update(risen: PressureLevel, kept: PressureLevel, now: UInt64) {
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
