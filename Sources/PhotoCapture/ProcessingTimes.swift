internal import CaptureCore

/// How long the last photos took to be made, by quality. A value.
struct ProcessingTimes: Hashable, Sendable {
  /// Photos of each quality that count: enough to see the spread, few enough to follow a change.
  private static let kept = 8

  private var durations: [PhotoQuality: [UInt64]] = [:]

  /// The shortest and the longest, nanoseconds; nil before the first.
  func range(of quality: PhotoQuality) -> ClosedRange<UInt64>? {
    guard let durations = durations[quality], let shortest = durations.min(), let longest = durations.max() else {
      return nil
    }
    return shortest...longest
  }

  mutating func add(_ nanoseconds: UInt64, of quality: PhotoQuality) {
    durations[quality, default: []].append(nanoseconds)
    if durations[quality]!.count > Self.kept { durations[quality]!.removeFirst() }
  }
}
