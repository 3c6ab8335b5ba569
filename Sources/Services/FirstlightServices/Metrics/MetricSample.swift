/// One value of a metric. Its labels distinguish it from the other values of the metric.
public struct MetricSample: Hashable, Sendable {
  /// The value, in the unit that the metric's name says.
  public var value: Double
  var labels: [String]

  /// Makes a sample.
  ///
  /// - Parameters:
  ///   - value: the value, in the unit that the metric's name says.
  ///   - labels: the names of labels, which must be valid in Prometheus, with their values, which may be any text.
  public init(_ value: Double, _ labels: KeyValuePairs<String, String> = [:]) {
    self.value = value
    self.labels = labels.map { name, value in "\(name)=\"\(value.escaped(quotes: true))\"" }
  }

  /// Makes a sample of a whole number.
  ///
  /// - Parameters:
  ///   - value: the value, which is rounded to the nearest `Double`.
  ///   - labels: the names of labels, which must be valid in Prometheus, with their values, which may be any text.
  public init(_ value: some BinaryInteger, _ labels: KeyValuePairs<String, String> = [:]) {
    self.init(Double(value), labels)
  }
}
