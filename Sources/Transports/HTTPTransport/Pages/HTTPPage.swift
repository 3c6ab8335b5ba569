public import RPCCore

/// What a page asks of those who open it.
public struct PageRule: Sendable {
  let permission: Permission
  let resource: @Sendable (HTTPPageRequest) -> String?

  /// Makes a rule.
  ///
  /// - Parameters:
  ///   - permission: what a client needs the right for.
  ///   - resource: returns the resource name that a request is about; nil when the request names none.
  public init(_ permission: Permission, on resource: @escaping @Sendable (HTTPPageRequest) -> String? = { _ in nil }) {
    self.permission = permission
    self.resource = resource
  }
}

/// Something that the server answers to `GET` at one path, such as the metrics or a stream of pictures, or at all paths
/// below one, such as the files of recordings.
public struct HTTPPage: Sendable {
  /// The path, for example `/metrics`. A path that ends with a slash stands for all paths that begin with it.
  public let path: String
  /// The path with the parameters that a request's query must have, for example `/?action=stream`.
  package let target: String
  /// Who may open the page.
  let rule: PageRule
  /// The parameters that a request's query must have, for an address such as `/?action=stream`.
  private let query: [(name: String, value: String)]
  /// The names of the parameters that the page reads.
  let parameters: [String]
  /// Whether the page answers requests that call the server by any name, or by none, because it tells nothing that
  /// another site may not know.
  let answersAnyName: Bool
  /// Whether other sites may link to the page. A page must not allow it when opening the page has an effect, such as
  /// the start of a camera.
  public let isOpenToLinks: Bool
  let respond: @Sendable (HTTPPageRequest, HTTPPageWriter) async -> Void

  /// Makes a page whose small answer is made anew for every request. Other sites may link to the page.
  ///
  /// - Parameters:
  ///   - path: the path, for example `/metrics`.
  ///   - rule: who may open the page.
  ///   - answersAnyName: whether the page answers requests that call the server by any name, or by none.
  ///   - answer: makes the answer to one request. The server calls it for several requests at the same time.
  public init(
    _ path: String, _ rule: PageRule, answersAnyName: Bool = false, _ answer: @escaping @Sendable () async -> HTTPAnswer
  ) {
    self.path = path
    target = path
    self.rule = rule
    self.answersAnyName = answersAnyName
    query = []
    parameters = []
    isOpenToLinks = true
    respond = { _, writer in writer.send(await answer()) }
  }

  /// Makes a page that answers in its own way, for example by a stream.
  ///
  /// - Parameters:
  ///   - target: the path, for example `/stream.mjpg`, or `/recordings/` for all longer paths. Where the page has the
  ///     path only together with certain parameters, also these, for example `/?action=stream`.
  ///   - rule: who may open the page.
  ///   - parameters: the names of the parameters that the page reads. The server ignores others, and says so to the
  ///     client in the field `X-Ignored-Parameters`.
  ///   - isOpenToLinks: whether other sites may link to the page.
  ///   - answersAnyName: whether the page answers requests that call the server by any name, or by none. It must tell
  ///     those nothing that another site may not know; see ``HTTPPageRequest/namesServer``.
  ///   - respond: answers one request, with one answer of any kind. The server cancels the task when the client is
  ///     gone, and calls the function for several requests at the same time.
  public init(
    _ target: String, _ rule: PageRule, parameters: [String], isOpenToLinks: Bool, answersAnyName: Bool = false,
    respond: @escaping @Sendable (HTTPPageRequest, HTTPPageWriter) async -> Void
  ) {
    let request = HTTPPageRequest(target: target)
    path = request.path
    self.target = target
    self.rule = rule
    query = request.parameters
    self.parameters = parameters + query.map(\.name)
    self.answersAnyName = answersAnyName
    self.isOpenToLinks = isOpenToLinks
    self.respond = respond
  }

  /// Whether the page answers requests for a target, the path of which is `path`.
  func answers(_ path: String, of target: String) -> Bool {
    guard query.isEmpty else {
      guard path == self.path else { return false }
      let asked = HTTPPageRequest(target: target).parameters
      return query.allSatisfy { wanted in asked.contains { $0 == wanted } }
    }
    return self.path.hasSuffix("/") ? path != self.path && path.hasPrefix(self.path) : path == self.path
  }
}
