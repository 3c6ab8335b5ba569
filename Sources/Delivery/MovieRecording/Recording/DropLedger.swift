internal import CaptureCore

/// Counts lost frames by their times, until it is known to which movie or segment they belong. A value.
struct DropLedger: Sendable {
  /// The most entries. What comes then is added to the newest one.
  static let capacity = 1024

  private var entries: [(time: UInt64, counts: DropCounts)] = []

  /// Notes frames that were lost near this time, in nanoseconds.
  mutating func add(_ counts: DropCounts, at time: UInt64) {
    guard counts.total > 0 else { return }
    if entries.count == Self.capacity {
      entries[entries.count - 1].counts += counts
    } else {
      entries.append((time, counts))
    }
  }

  /// Takes out what was lost before this time; nil takes out everything.
  @discardableResult
  mutating func take(before time: UInt64?) -> DropCounts {
    var (taken, kept) = (DropCounts(), [(time: UInt64, counts: DropCounts)]())
    for entry in entries {
      if time.map({ entry.time < $0 }) ?? true { taken += entry.counts } else { kept.append(entry) }
    }
    entries = kept
    return taken
  }

  /// Counts what was lost from a time on, up to another one.
  func sum(from start: UInt64, through end: UInt64 = .max) -> DropCounts {
    entries.reduce(into: DropCounts()) { sum, entry in
      if entry.time >= start, entry.time <= end { sum += entry.counts }
    }
  }
}
