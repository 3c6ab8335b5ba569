internal import HTTPTypes
internal import NIOCore
internal import RPCCore

/// The answer to a unary call by Connect: the body is the response or, with another status, the error.
final class UnaryOutput: CallOutput {
  private let writer: HTTPResponseWriter
  private let contentType: ContentType
  private let json: JSONForms?
  private let takesCompressed: Bool

  /// An answer of fewer bytes fits into one packet of the network, so that compressing it would save nothing.
  private static let smallBytes = 1400

  /// Makes the output of one call.
  ///
  /// - Parameters:
  ///   - json: the JSON forms of the method's messages. Nil for an unknown method, which has no response.
  ///   - takesCompressed: whether the client takes a compressed answer.
  init(_ writer: HTTPResponseWriter, _ contentType: ContentType, _ json: JSONForms?, takesCompressed: Bool) {
    self.writer = writer
    self.contentType = contentType
    self.json = json
    self.takesCompressed = takesCompressed
  }

  func write(_ message: LentMessage, _ completion: @escaping WriteCompletion) {
    preconditionFailure("a unary method has no stream of responses")
  }

  func finish(_ status: CallStatus, _ trailingMetadata: Metadata) {
    switch status {
    case .ok(let message):
      do {
        var body = try message.map(encoded) ?? []
        var head = ResponseHead(contentType, trailingMetadata: trailingMetadata).response
        // No unary method answers with a picture, so that a long answer is a list or a history, which gets much
        // smaller.
        if takesCompressed, body.count > Self.smallBytes, let compressed = Gzip.compress(body) {
          body = compressed
          head.headerFields[.contentEncoding] = Gzip.name
        }
        writer.send(head, body)
      } catch {
        send(.notJSON, trailingMetadata)
      }
    case .error(let error): send(error, trailingMetadata)
    }
  }

  func abort() { writer.abort() }

  func waitForEnd() async { await writer.waitForEnd() }

  private func send(_ error: RPCError, _ trailingMetadata: Metadata) {
    writer.send(ResponseHead(error, trailingMetadata: trailingMetadata).response, ConnectError(error).json)
  }

  private func encoded(_ message: LentMessage) throws -> [UInt8] {
    if contentType.format == .json, let json { return try json.response(message) }
    // A unary response is small, and so this copies it.
    return message.payload.withUnsafeBytes { message.header + $0 }
  }
}

extension RPCError {
  /// The error of a response that has no JSON form.
  static var notJSON: RPCError {
    RPCError(.internal, "The response has no JSON form. Ask for the binary form.", reason: "INTERNAL")
  }
}
