internal import CaptureCore

/// How long a level is held that our own load may cause. A value; time is passed in.
///
/// Taking load off ends such a pressure, and giving the load back brings it again. So a level that comes back within 2 min
/// is held twice as long as before, from 3 s up to 5 min: the machine swings a few times, then rarely. What comes back
/// later is others' work, such as a job every few minutes, and is held no longer for it. Each level has a memory of its
/// own; one that stays away for 10 min is forgotten.
struct RelapseHold: Hashable, Sendable {
  static let longestNanoseconds: UInt64 = 300_000_000_000
  static let calmNanoseconds: UInt64 = 600_000_000_000
  /// The kernel's average over 10 s is up again after at most a minute of our load.
  static let relapseNanoseconds: UInt64 = 120_000_000_000

  private struct Memory: Hashable, Sendable {
    var hold = HeldLevel.holdNanoseconds
    /// When the level was left last.
    var left: UInt64
  }
  private var memories: [PressureLevel: Memory] = [:]

  /// For how long every reading has to allow less before `level` falls.
  func nanoseconds(of level: PressureLevel) -> UInt64 { memories[level]?.hold ?? HeldLevel.holdNanoseconds }

  /// Takes a change of the level; every level in between came or went with it.
  ///
  /// - Parameter now: CLOCK_MONOTONIC, nanoseconds.
  mutating func levelDidChange(from old: PressureLevel, to new: PressureLevel, now: UInt64) {
    for level in PressureLevel.allCases where level > min(old, new) && level <= max(old, new) {
      if new < old {
        memories[level, default: Memory(left: now)].left = now
      } else if let memory = memories[level] {
        if isForgotten(memory, at: now) {
          memories[level] = nil
        } else if now - min(memory.left, now) < Self.relapseNanoseconds {
          memories[level]?.hold = min(2 * memory.hold, Self.longestNanoseconds)
        }
      }
    }
  }

  /// Takes that readings want a level that is held, after so long without. What comes back while our load is still taken off
  /// is not ours, so it is held no longer than anything.
  mutating func levelWasWanted(_ level: PressureLevel, againAfter nanoseconds: UInt64) {
    if nanoseconds >= Self.relapseNanoseconds { memories[level] = nil }
  }

  /// Whether there is nothing left to remember, while no level holds.
  func isForgotten(at now: UInt64) -> Bool { memories.values.allSatisfy { isForgotten($0, at: now) } }

  private func isForgotten(_ memory: Memory, at now: UInt64) -> Bool {
    now >= memory.left && now - memory.left >= Self.calmNanoseconds
  }
}
