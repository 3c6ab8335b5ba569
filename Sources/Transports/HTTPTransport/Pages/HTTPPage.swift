internal import HTTPTypes

/// A small answer to `GET` that the server makes anew for every request, such as the metrics.
public struct HTTPPage: Sendable {
  /// The answer to one request.
  public struct Answer: Sendable {
    /// The HTTP status code: 200, or 503 when the page says that something is not ready.
    public let status: Int
    /// The `Content-Type`.
    public let contentType: String
    /// The text.
    public let text: String

    /// Makes an answer of UTF-8 text.
    public init(status: Int = 200, contentType: String = "text/plain; charset=utf-8", _ text: String) {
      self.status = status
      self.contentType = contentType
      self.text = text
    }
  }

  /// The path, for example `/metrics`.
  public let path: String
  let answer: @Sendable () async -> Answer

  /// Makes a page.
  ///
  /// - Parameters:
  ///   - path: the path, for example `/metrics`.
  ///   - answer: makes the answer to one request. The server calls it for several requests at the same time.
  public init(_ path: String, _ answer: @escaping @Sendable () async -> Answer) {
    self.path = path
    self.answer = answer
  }
}
