internal import HTTPTypes
public import RPCCore

/// A whole answer to a request for a page.
public struct HTTPAnswer: Sendable {
  /// The HTTP status code, for example 200.
  public let status: Int
  /// The fields of the head. The server adds the length, and the fields that every answer has.
  public let fields: [(name: String, value: String)]
  /// The body.
  public let body: [UInt8]

  /// Makes an answer of any kind.
  public init(status: Int = 200, contentType: String, fields: [(name: String, value: String)] = [], body: [UInt8]) {
    self.status = status
    self.fields = [("Content-Type", contentType)] + fields
    self.body = body
  }

  /// Makes an answer of UTF-8 text.
  public init(status: Int = 200, contentType: String = "text/plain; charset=utf-8", _ text: String) {
    self.init(status: status, contentType: contentType, body: Array(text.utf8))
  }

  /// Makes the answer for an error: its message, and the time after which another try may succeed.
  ///
  /// - Parameter status: the status; nil is the one that Connect has for the error's code.
  public init(_ error: RPCError, status: Int? = nil) {
    let seconds = error.retryDelay.map { max(1, $0.components.seconds) }
    self.init(
      status: status ?? ConnectCode(error.code).status.code, contentType: "text/plain; charset=utf-8",
      fields: seconds.map { [("Retry-After", "\($0)")] } ?? [], body: Array("\(error.message)\n".utf8))
  }

  /// The head of the answer.
  var head: HTTPResponse {
    var head = HTTPResponse(status: .init(code: status))
    for (name, value) in fields {
      if let name = HTTPField.Name(name) { head.headerFields.append(HTTPField(name: name, value: value)) }
    }
    return head
  }
}
