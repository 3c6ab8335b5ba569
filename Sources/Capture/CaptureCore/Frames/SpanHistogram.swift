/// Counts spans of time by their length, in a fixed number of buckets.
public struct SpanHistogram: Hashable, Sendable {
  /// The longest span that each bucket counts, in nanoseconds. The bounds lie close together around the periods and
  /// half periods of cameras of 10, 15, 30 and 60 frames a second. One more bucket counts all spans that are longer
  /// than the last bound.
  public static let bounds: [UInt64] = [
    1, 2, 5, 10, 15, 20, 25, 30, 35, 40, 50, 65, 80, 100, 150, 250, 500, 1000, 5000,
  ].map { $0 * 1_000_000 }

  /// The number of spans in each bucket, not added up from bucket to bucket. There is one bucket more than there are
  /// ``bounds``.
  public private(set) var counts = [UInt64](repeating: 0, count: bounds.count + 1)
  /// The sum of all spans in nanoseconds.
  public private(set) var sum: UInt64 = 0

  /// Creates a histogram without spans.
  public init() {}

  /// Counts one span of `nanoseconds`.
  public mutating func add(_ nanoseconds: UInt64) {
    counts[Self.bounds.firstIndex { nanoseconds <= $0 } ?? Self.bounds.count] += 1
    sum += nanoseconds
  }
}
