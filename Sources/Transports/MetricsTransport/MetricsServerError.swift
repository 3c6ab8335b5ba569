internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix

/// The reason for which the server cannot listen.
public struct MetricsServerError: Error, CustomStringConvertible {
  /// The reason, as a text for the operator.
  public let description: String
}
