/// One distribution of values in a histogram. Its labels distinguish it from the other distributions of the histogram.
public struct HistogramSample: Hashable, Sendable {
  /// The number of values in each bucket, without those in lower buckets. The last bucket has no upper bound.
  public var counts: [UInt64]
  /// The sum of all values, in the unit that the histogram's name says.
  public var sum: Double
  var labels: [String]

  /// Makes a sample.
  ///
  /// - Parameters:
  ///   - counts: the number of values in each bucket, without those in lower buckets; the last bucket has no upper
  ///     bound.
  ///   - sum: the sum of all values.
  ///   - labels: the names of labels, which must be valid in Prometheus and not be `le`, with their values, which may
  ///     be any text.
  public init(_ counts: [UInt64], sum: Double, _ labels: KeyValuePairs<String, String> = [:]) {
    self.counts = counts
    self.sum = sum
    self.labels = MetricSample(0, labels).labels
  }
}
