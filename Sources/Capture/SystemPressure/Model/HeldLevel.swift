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
  /// Nil where 3 s are always enough.
  private var relapses: RelapseHold?

  /// - Parameter growsWithRelapses: whether a level that comes back again and again is held for longer.
  init(growsWithRelapses: Bool = false) { relapses = growsWithRelapses ? RelapseHold() : nil }

  /// Takes the next reading.
  ///
  /// - Parameters:
  ///   - claim: nil when there is no reading.
  ///   - now: CLOCK_MONOTONIC, nanoseconds.
  mutating func update(_ claim: Claim?, now: UInt64) {
    let (risen, kept) = (claim?.risen ?? .nominal, claim?.kept ?? .nominal)
    if kept >= level, let since = fallingSince { relapses?.levelWasWanted(level, againAfter: now - min(since, now)) }
    if risen >= level {
      change(to: risen, now: now)
    } else if kept >= level {
      fallingSince = nil
    } else if let since = fallingSince, since <= now {
      // What cannot be read any more is no relapse to wait for.
      let hold = claim == nil ? Self.holdNanoseconds : relapses?.nanoseconds(of: level) ?? Self.holdNanoseconds
      guard now - since >= hold else { return }
      change(to: kept, now: now)
    } else {
      fallingSince = now
    }
  }

  /// Whether it is as if it had never been above nominal.
  func isForgotten(at now: UInt64) -> Bool { level == .nominal && relapses?.isForgotten(at: now) != false }

  private mutating func change(to new: PressureLevel, now: UInt64) {
    relapses?.levelDidChange(from: level, to: new, now: now)
    level = new
    fallingSince = nil
  }
}
