internal import CaptureCore

/// The frames that a history lacks, by their times, as a value. Times are nanoseconds of the encoder's run.
struct PastLosses: Sendable {
  /// The most entries. What comes then is added to the newest one.
  static let capacity = 1024

  private var entries: [(time: UInt64, counts: DropCounts)] = []

  /// Notes frames that were lost near this time.
  mutating func add(_ counts: DropCounts, at time: UInt64) {
    guard counts.total > 0 else { return }
    if entries.count == Self.capacity {
      entries[entries.count - 1].counts += counts
    } else {
      entries.append((time, counts))
    }
  }

  /// Forgets what was lost before this time.
  mutating func forget(before time: UInt64) { entries.removeAll { $0.time < time } }

  /// What was lost at this time and later.
  func sum(from time: UInt64) -> DropCounts {
    entries.reduce(into: DropCounts()) { sum, entry in if entry.time >= time { sum += entry.counts } }
  }
}
