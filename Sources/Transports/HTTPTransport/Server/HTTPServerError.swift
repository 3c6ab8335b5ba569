/// The reason for which an HTTP server cannot listen.
public struct HTTPServerError: Error, CustomStringConvertible {
  /// A text for people.
  public let description: String
}
