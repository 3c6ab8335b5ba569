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
  /// Since when every reading has allowed a lower level. Nil while the newest reading does not allow one.
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

/// How long a level is held that the daemon's own load may cause. A value; callers pass the time in.
///
/// Taking load off ends such a pressure, and giving the load back brings the pressure again. A level that comes back
/// within 2 min is therefore held twice as long as before, from 3 s up to 5 min: the machine swings a few times at
/// first, and rarely later. A level that comes back after more than 2 min is caused by the work of others, such as a
/// job every few minutes, and its hold does not grow. Each level has a memory of its own. The memory of a level that
/// stays away for 10 min is deleted.
struct RelapseHold: Hashable, Sendable {
  static let longestNanoseconds: UInt64 = 300_000_000_000
  static let calmNanoseconds: UInt64 = 600_000_000_000
  /// A level that comes back within this time counts as a relapse. The time is long enough for every pressure that the
  /// daemon's load brings back, because the kernel's average over 10 s is up again after at most a minute of that load.
  static let relapseNanoseconds: UInt64 = 120_000_000_000

  private struct Memory: Hashable, Sendable {
    var hold = HeldLevel.holdNanoseconds
    /// When the level was last left.
    var left: MonotonicInstant
  }
  private var memories: [PressureLevel: Memory] = [:]

  /// How long `level` is held, in nanoseconds: the level falls when every reading for this long has allowed a lower
  /// one.
  func nanoseconds(of level: PressureLevel) -> UInt64 { memories[level]?.hold ?? HeldLevel.holdNanoseconds }

  /// Takes a change of the level into account. A rise reaches, and a fall leaves, every level in between as well.
  mutating func levelDidChange(from old: PressureLevel, to new: PressureLevel, now: MonotonicInstant) {
    for level in PressureLevel.allCases where level > min(old, new) && level <= max(old, new) {
      if new < old {
        memories[level, default: Memory(left: now)].left = now
      } else if let memory = memories[level] {
        if isForgotten(memory, at: now) {
          memories[level] = nil
        } else if now.nanoseconds(since: memory.left) < Self.relapseNanoseconds {
          memories[level]?.hold = min(2 * memory.hold, Self.longestNanoseconds)
        }
      }
    }
  }

  /// Notes that the readings want the held level again, after they allowed a lower level for `nanoseconds`. The load
  /// was taken off all the time. A pressure that comes back after 2 min or more is therefore not caused by the daemon's
  /// load, and its hold goes back to 3 s.
  mutating func levelWasWanted(_ level: PressureLevel, againAfter nanoseconds: UInt64) {
    if nanoseconds >= Self.relapseNanoseconds { memories[level] = nil }
  }

  /// Whether no memory is left, for a caller whose level is nominal.
  func isForgotten(at now: MonotonicInstant) -> Bool { memories.values.allSatisfy { isForgotten($0, at: now) } }

  private func isForgotten(_ memory: Memory, at now: MonotonicInstant) -> Bool {
    now.nanoseconds(since: memory.left) >= Self.calmNanoseconds
  }
}
