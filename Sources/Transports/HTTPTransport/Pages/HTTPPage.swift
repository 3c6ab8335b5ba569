/// Something that the server answers to `GET` at one path, such as the metrics or a stream of pictures, or at all paths
/// below one, such as the files of recordings.
public struct HTTPPage: Sendable {
  /// The path, for example `/metrics`. A path that ends with a slash stands for all paths that begin with it.
  public let path: String
  /// Whether other sites may link to the page. A page must not allow it when opening the page has an effect, such as
  /// the start of a camera.
  public let isOpenToLinks: Bool
  let respond: @Sendable (HTTPPageRequest, HTTPPageWriter) async -> Void

  /// Makes a page whose small answer is made anew for every request. Other sites may link to the page.
  ///
  /// - Parameters:
  ///   - path: the path, for example `/metrics`.
  ///   - answer: makes the answer to one request. The server calls it for several requests at the same time.
  public init(_ path: String, _ answer: @escaping @Sendable () async -> HTTPAnswer) {
    self.path = path
    isOpenToLinks = true
    respond = { _, writer in writer.send(await answer()) }
  }

  /// Makes a page that answers in its own way, for example by a stream.
  ///
  /// - Parameters:
  ///   - path: the path, for example `/stream.mjpg`, or `/recordings/` for all longer paths.
  ///   - isOpenToLinks: whether other sites may link to the page.
  ///   - respond: answers one request, with one answer of any kind. The server cancels the task when the client is
  ///     gone, and calls the function for several requests at the same time.
  public init(
    _ path: String, isOpenToLinks: Bool,
    respond: @escaping @Sendable (HTTPPageRequest, HTTPPageWriter) async -> Void
  ) {
    self.path = path
    self.isOpenToLinks = isOpenToLinks
    self.respond = respond
  }

  /// Whether the page answers requests for a path.
  func answers(_ path: String) -> Bool {
    self.path.hasSuffix("/") ? path != self.path && path.hasPrefix(self.path) : path == self.path
  }
}
