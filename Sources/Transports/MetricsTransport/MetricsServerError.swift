/// The reason for which the server cannot listen.
public struct MetricsServerError: Error, CustomStringConvertible {
  /// The reason, as a text for the operator.
  public let description: String
}
