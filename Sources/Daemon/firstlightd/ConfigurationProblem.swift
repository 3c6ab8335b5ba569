internal import MetricsTransport
internal import SystemPressure

/// A configuration that cannot be used, with a sentence for the operator.
struct ConfigurationProblem: Error, CustomStringConvertible {
  var description: String
}
