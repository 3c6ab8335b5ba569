internal import CVideoCoding

/// The times of the pictures that an encoder holds. Encoders count ticks of a microsecond, and the samples get back
/// exactly the nanoseconds that their pictures came with.
struct PendingTimes {
  private struct Entry {
    let tick: Int64
    let time: UInt64
    let duration: UInt64
  }
  private var entries: [Entry] = []
  private var newest: Int64 = -1

  /// The tick of a picture. Two pictures never have the same tick, even when they are nearer to each other.
  mutating func add(_ time: UInt64, lasting duration: UInt64) -> Int64 {
    newest = max(newest + 1, Self.ticks(time))
    entries.append(Entry(tick: newest, time: time, duration: duration))
    return newest
  }

  /// Takes out the time of the picture with this tick. Pictures before it will not come any more: coded pictures come
  /// in the order of their times.
  mutating func take(_ tick: Int64) -> (time: UInt64, duration: UInt64)? {
    guard let index = entries.firstIndex(where: { $0.tick >= tick }), entries[index].tick == tick else { return nil }
    let entry = entries[index]
    entries.removeSubrange(...index)
    return (entry.time, entry.duration)
  }

  /// The nearest tick. Counts whole seconds apart, so that no product overflows.
  static func ticks(_ nanoseconds: UInt64) -> Int64 {
    let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    let ticks = UInt64(CVIDEO_TICKS_PER_SECOND)
    return Int64(seconds * ticks + (rest * ticks + 500_000_000) / 1_000_000_000)
  }

  /// The nanoseconds of a number of ticks.
  static func nanoseconds(_ ticks: Int64) -> UInt64 {
    let (seconds, rest) = UInt64(max(0, ticks)).quotientAndRemainder(dividingBy: UInt64(CVIDEO_TICKS_PER_SECOND))
    return seconds * 1_000_000_000 + rest * 1_000_000_000 / UInt64(CVIDEO_TICKS_PER_SECOND)
  }
}
