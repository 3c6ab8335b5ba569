/// A value of a metric, told from the others by its labels.
public struct MetricSample: Hashable, Sendable {
  public var value: Double
  fileprivate var labels: [String]

  /// - Parameter labels: names that Prometheus takes, with any values.
  public init(_ value: Double, _ labels: KeyValuePairs<String, String> = [:]) {
    self.value = value
    self.labels = labels.map { name, value in "\(name)=\"\(value.escaped(quotes: true))\"" }
  }

  public init(_ value: some BinaryInteger, _ labels: KeyValuePairs<String, String> = [:]) {
    self.init(Double(value), labels)
  }
}

/// The values of a histogram, told from others by their labels.
public struct HistogramSample: Hashable, Sendable {
  /// How many values are in each bucket alone, the last without a bound.
  public var counts: [UInt64]
  /// Of all values.
  public var sum: Double
  fileprivate var labels: [String]

  /// - Parameter labels: names that Prometheus takes but `le`, with any values.
  public init(_ counts: [UInt64], sum: Double, _ labels: KeyValuePairs<String, String> = [:]) {
    self.counts = counts
    self.sum = sum
    self.labels = MetricSample(0, labels).labels
  }
}

/// A page of metrics, in Prometheus' text format 0.0.4.
///
/// <https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format>
public struct MetricsText: Sendable {
  /// What a metric is. The raw value is the format's word.
  public enum Kind: String, Sendable {
    /// Goes up and down.
    case gauge
    /// Only grows, until what counts begins anew. Its name ends in `_total`.
    case counter
  }

  /// For HTTP.
  public static let contentType = "text/plain; version=0.0.4; charset=utf-8"

  public private(set) var text = ""

  public init() {}

  /// Adds a metric with all its values. Nothing without any: what a machine does not have is not there.
  ///
  /// - Parameters:
  ///   - name: one that Prometheus takes, with its unit; once in a page.
  ///   - help: a sentence for people.
  ///   - samples: no two with the same labels.
  public mutating func add(_ name: String, _ kind: Kind, _ help: String, _ samples: [MetricSample]) {
    guard !samples.isEmpty else { return }
    text += "# HELP \(name) \(help.escaped(quotes: false))\n# TYPE \(name) \(kind.rawValue)\n"
    for sample in samples {
      let labels = sample.labels.isEmpty ? "" : "{\(sample.labels.joined(separator: ","))}"
      text += "\(name)\(labels) \(sample.value.inMetrics)\n"
    }
  }

  /// Adds a histogram with all its values. Nothing without any.
  ///
  /// - Parameters:
  ///   - bounds: what each bucket holds at most, growing; one fewer than the samples have counts.
  ///   - samples: no two with the same labels.
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

  /// Adds a metric that has one value, or none now.
  public mutating func add(_ name: String, _ kind: Kind, _ help: String, _ value: (some BinaryInteger)?) {
    add(name, kind, help, value.map { [MetricSample($0)] } ?? [])
  }

  /// Adds a metric that has one value, or none now.
  public mutating func add(_ name: String, _ kind: Kind, _ help: String, _ value: Double?) {
    add(name, kind, help, value.map { [MetricSample($0)] } ?? [])
  }
}

extension String {
  fileprivate func escaped(quotes: Bool) -> String {
    var escaped = ""
    // By scalars: to Swift a carriage return and a line feed are one character, to Prometheus a line ends there.
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
