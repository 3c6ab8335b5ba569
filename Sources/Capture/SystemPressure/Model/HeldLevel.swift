internal import CaptureCore
internal import SystemClocks

/// The level of a source over time: the level rises at once and falls with hysteresis. A value; callers pass the time
/// in.
///
/// The level falls when every reading for 3 s has allowed a lower level with the margin of its kind. The level then
/// becomes the one that the newest reading gives with the same margin. A rise or fall may skip levels. A missing
/// reading counts as nominal: it never raises the level, and 3 s without readings end the level.
struct HeldLevel: Hashable, Sendable {
  static let holdNanoseconds: UInt64 = 3_000_000_000

  private(set) var level = PressureLevel.nominal
  /// The time since which every reading has allowed a lower level. Nil while the level does not fall.
  private var fallingSince: MonotonicInstant?
  /// Makes the hold longer after relapses. Nil for sources for which 3 s are always enough.
  private var relapses: RelapseHold?

  /// - Parameter growsWithRelapses: whether a level that comes back again and again is held longer each time.
  init(growsWithRelapses: Bool = false) { relapses = growsWithRelapses ? RelapseHold() : nil }

  /// Takes the next reading.
  ///
  /// - Parameter claim: nil when there is no reading.
  mutating func update(_ claim: Claim?, now: MonotonicInstant) {
    let (risen, kept) = (claim?.risen ?? .nominal, claim?.kept ?? .nominal)
    if kept >= level, let since = fallingSince {
      relapses?.levelWasWanted(level, againAfter: now.nanoseconds(since: since))
    }
    if risen >= level {
      change(to: risen, now: now)
    } else if kept >= level {
      fallingSince = nil
    } else if let since = fallingSince, since <= now {
      // A source that cannot be read any more does not relapse, so its level falls after the usual 3 s.
      let hold = claim == nil ? Self.holdNanoseconds : relapses?.nanoseconds(of: level) ?? Self.holdNanoseconds
      guard now.nanoseconds(since: since) >= hold else { return }
      change(to: kept, now: now)
    } else {
      fallingSince = now
    }
  }

  /// Whether the level is nominal and no relapses are remembered, so that the caller can drop this value.
  func isForgotten(at now: MonotonicInstant) -> Bool { level == .nominal && relapses?.isForgotten(at: now) != false }

  private mutating func change(to new: PressureLevel, now: MonotonicInstant) {
    relapses?.levelDidChange(from: level, to: new, now: now)
    level = new
    fallingSince = nil
  }
}
