internal import CaptureCore
internal import SystemClocks

/// Recognizes bursts and lowers the quality of their later photos, so that the burst keeps its pace. A value.
struct BurstDetector: Hashable, Sendable {
  /// The time between two requests, in nanoseconds, from which on they do not belong to the same burst. A person who
  /// waits for the next moment takes at least a second, and one who only presses the button again takes less.
  static let longestGap: UInt64 = 1_000_000_000
  /// The number of photos at the beginning of a burst that have the quality that their requests ask for.
  static let unhurried = 3

  private var newest: MonotonicInstant?
  private var count = 0

  /// Counts a request, and decides the quality of its photo.
  ///
  /// - Parameters:
  ///   - wanted: the quality that the request asks for.
  ///   - now: when the request arrived.
  ///   - isBusy: whether earlier captures are in progress. The request then belongs to their burst, however long the
  ///     gap is, because the output cannot keep the pace with the quality that the requests ask for.
  /// - Returns: `wanted`, or at most `balanced` later in a burst.
  mutating func resolve(_ wanted: PhotoQuality, at now: MonotonicInstant, isBusy: Bool = false) -> PhotoQuality {
    let isBurst = newest.map { now.nanoseconds(since: $0) < Self.longestGap || isBusy } ?? false
    count = isBurst ? count + 1 : 1
    newest = newest.map { max($0, now) } ?? now
    return count > Self.unhurried ? min(wanted, .balanced) : wanted
  }
}
