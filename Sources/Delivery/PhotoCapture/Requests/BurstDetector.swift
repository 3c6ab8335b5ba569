internal import CaptureCore
internal import SystemClocks

/// Notices bursts and gives their later photos less quality, so that the pace holds. A value.
struct BurstDetector: Hashable, Sendable {
  /// Requests closer together than this belong to one burst: a second is what a person who waits for the next moment
  /// takes at least, and a finger that only presses does not. So does one that comes while the photos before it are still
  /// being made, however slowly that goes: there, less quality keeps the pace.
  static let longestGap: UInt64 = 1_000_000_000
  /// Photos of a burst that are made as asked for.
  static let unhurried = 3

  private var newest: MonotonicInstant?
  private var count = 0

  /// What a request that arrived at `now` gets; counts it.
  ///
  /// - Parameter isBusy: whether captures are under way.
  mutating func resolve(_ wanted: PhotoQuality, at now: MonotonicInstant, isBusy: Bool = false) -> PhotoQuality {
    let isBurst = newest.map { now.nanoseconds(since: $0) < Self.longestGap || isBusy } ?? false
    count = isBurst ? count + 1 : 1
    newest = newest.map { max($0, now) } ?? now
    return count > Self.unhurried ? min(wanted, .balanced) : wanted
  }
}
