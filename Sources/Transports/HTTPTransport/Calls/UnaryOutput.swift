internal import HTTPTypes
internal import NIOCore
internal import RPCCore

/// The answer to a unary call by Connect: the body is the response or, with another status, the error.
final class UnaryOutput: CallOutput {
  private let writer: HTTPResponseWriter
  private let contentType: ContentType
  private let json: JSONForms?

  /// Makes the output of one call.
  ///
  /// - Parameter json: the JSON forms of the method's messages. Nil for an unknown method, which has no response.
  init(_ writer: HTTPResponseWriter, _ contentType: ContentType, _ json: JSONForms?) {
    self.writer = writer
    self.contentType = contentType
    self.json = json
  }

  func write(_ message: LentMessage, _ completion: @escaping WriteCompletion) {
    preconditionFailure("a unary method has no stream of responses")
  }

  func finish(_ status: CallStatus, _ trailingMetadata: Metadata) {
    switch status {
    case .ok(let message):
      do {
        let body = try message.map(encoded) ?? []
        writer.send(ResponseHead(contentType, trailingMetadata: trailingMetadata).response, body)
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
