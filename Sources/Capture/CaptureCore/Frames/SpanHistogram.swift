/// How often spans of time were how long, in bounded buckets.
public struct SpanHistogram: Hashable, Sendable {
  /// What each bucket holds at most, nanoseconds. Close together around the periods and half periods of cameras of 10, 15, 30
  /// and 60 frames a second; what is longer than the last is in one bucket more.
  public static let bounds: [UInt64] = [
    1, 2, 5, 10, 15, 20, 25, 30, 35, 40, 50, 65, 80, 100, 150, 250, 500, 1000, 5000,
  ].map { $0 * 1_000_000 }

  /// In each bucket alone; one more than there are ``bounds``.
  public private(set) var counts = [UInt64](repeating: 0, count: bounds.count + 1)
  /// Of all spans, nanoseconds.
  public private(set) var sum: UInt64 = 0

  public init() {}

  /// Counts one.
  public mutating func add(_ nanoseconds: UInt64) {
    counts[Self.bounds.firstIndex { nanoseconds <= $0 } ?? Self.bounds.count] += 1
    sum += nanoseconds
  }
}
