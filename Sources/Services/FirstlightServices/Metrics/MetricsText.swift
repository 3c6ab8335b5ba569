/// A page of metrics in version 0.0.4 of Prometheus' text format.
///
/// <https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format>
public struct MetricsText: Sendable {
  /// The type of a metric. The raw value is the type's name in the text format.
  public enum Kind: String, Sendable {
    /// The value goes up and down.
    case gauge
    /// The value only grows, and starts again at 0 when the counted object begins anew. The metric's name ends in
    /// `_total`.
    case counter
  }

  /// The `Content-Type` of the page in HTTP.
  public static let contentType = "text/plain; version=0.0.4; charset=utf-8"

  /// The metrics that were added so far, in the text format.
  public private(set) var text = ""

  /// Makes a page without metrics.
  public init() {}

  /// Adds a metric with all its values. Adds nothing when `samples` is empty: the page does not list the metrics that
  /// this machine lacks.
  ///
  /// - Parameters:
  ///   - name: a name that is valid in Prometheus, with the unit, and that the page does not have yet.
  ///   - kind: the type of the metric.
  ///   - help: a sentence that explains the metric to people.
  ///   - samples: the values. No two samples have the same labels.
  public mutating func add(_ name: String, _ kind: Kind, _ help: String, _ samples: [MetricSample]) {
    guard !samples.isEmpty else { return }
    text += "# HELP \(name) \(help.escaped(quotes: false))\n# TYPE \(name) \(kind.rawValue)\n"
    for sample in samples {
      let labels = sample.labels.isEmpty ? "" : "{\(sample.labels.joined(separator: ","))}"
      text += "\(name)\(labels) \(sample.value.inMetrics)\n"
    }
  }

  /// Adds a histogram with all its distributions. Adds nothing when `samples` is empty.
  ///
  /// - Parameters:
  ///   - name: a name that is valid in Prometheus, with the unit, and that the page does not have yet.
  ///   - help: a sentence that explains the histogram to people.
  ///   - bounds: the upper bound of each bucket except the last one, in ascending order: one fewer than the counts of a
  ///     sample. A value that equals a bound is in the bucket below the bound.
  ///   - samples: the distributions. No two samples have the same labels.
  public mutating func add(_ name: String, _ help: String, _ bounds: [Double], _ samples: [HistogramSample]) {
    guard !samples.isEmpty else { return }
    text += "# HELP \(name) \(help.escaped(quotes: false))\n# TYPE \(name) histogram\n"
    for sample in samples {
      let labels = sample.labels.joined(separator: ",")
      var count: UInt64 = 0
      for (bound, inBucket) in zip(bounds + [.infinity], sample.counts) {
        count += inBucket
        let bucket = (sample.labels + ["le=\"\(bound.inMetrics)\""]).joined(separator: ",")
        text += "\(name)_bucket{\(bucket)} \(count)\n"
      }
      let suffix = labels.isEmpty ? "" : "{\(labels)}"
      text += "\(name)_sum\(suffix) \(sample.sum.inMetrics)\n\(name)_count\(suffix) \(count)\n"
    }
  }

  /// Adds a metric with one value and no labels. Adds nothing when `value` is nil, because the metric has no value now.
  public mutating func add(_ name: String, _ kind: Kind, _ help: String, _ value: (some BinaryInteger)?) {
    add(name, kind, help, value.map { [MetricSample($0)] } ?? [])
  }

  /// Adds a metric with one value and no labels. Adds nothing when `value` is nil, because the metric has no value now.
  public mutating func add(_ name: String, _ kind: Kind, _ help: String, _ value: Double?) {
    add(name, kind, help, value.map { [MetricSample($0)] } ?? [])
  }
}

extension String {
  func escaped(quotes: Bool) -> String {
    var escaped = ""
    // The loop goes over scalars and not over characters. Swift takes a carriage return and a line feed for one
    // character, so that a loop over characters would miss the line feed, and Prometheus would end the line there.
    for scalar in unicodeScalars {
      switch scalar {
      case "\\": escaped += "\\\\"
      case "\n": escaped += "\\n"
      case "\"" where quotes: escaped += "\\\""
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}

extension Double {
  fileprivate var inMetrics: String {
    if isNaN { return "NaN" }
    if isInfinite { return self > 0 ? "+Inf" : "-Inf" }
    return Int64(exactly: self).map(String.init) ?? String(self)
  }
}

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
