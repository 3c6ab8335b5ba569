internal import CaptureCore
internal import SystemClocks

/// How large the file of a history may become.
enum HistoryBudget {
  /// The size of the pieces in which the file grows and is used again. A picture fits into a message of 4 MiB, so a
  /// segment holds two at least.
  static let segmentBytes = 8 << 20
  /// The most bytes of a picture, which is a message.
  static let largestPicture = 4 << 20
  /// The most bytes of the file of one history.
  static let largest = 1 << 30
  /// The time that a history keeps beyond the longest delay, in nanoseconds, for a reader that is a little late.
  static let slack: UInt64 = 500_000_000

  /// The most bytes that a JPEG picture of a usual scene has. Pictures of noise may be larger.
  static func expectedBytes(_ size: Size, quality: Int) -> Int {
    // 0.6 bytes per pixel up to quality 80, and 2 at quality 100.
    let perPixel = 0.6 + 1.4 * Double(max(0, quality - 80)) / 20
    return max(4096, Int(Double(size.pixelCount) * perPixel))
  }

  /// Pictures per second, by the median of the times between pictures: a gap must not count as a low rate.
  static func rate(of times: [MonotonicInstant]) -> Double {
    let intervals = zip(times.dropFirst(), times).map { $0.nanoseconds(since: $1) }.sorted()
    guard !intervals.isEmpty else { return 30 }
    return 1e9 / Double(max(1_000_000, intervals[(intervals.count - 1) / 2]))
  }

  /// The most segments of a history.
  ///
  /// - Parameters:
  ///   - rate: pictures per second.
  ///   - delay: how far the history must reach back, in nanoseconds.
  static func segments(_ size: Size, quality: Int, rate: Double, delay: UInt64) -> Int {
    let pictures = rate * Double(delay + slack) / 1e9 + 1
    let bytes = min(Double(largest), pictures * Double(expectedBytes(size, quality: quality)))
    // One segment is being filled, and one is not yet old enough to be free.
    return min(largest / segmentBytes, Int((bytes / Double(segmentBytes)).rounded(.up)) + 2)
  }
}
