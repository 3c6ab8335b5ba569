internal import HTTPTypes
internal import NIOCore
internal import RPCCore

/// The body of an answer whose length nobody knows, such as live video. The payloads of the messages, one after the
/// other, are the body. A message without a payload writes nothing.
final class BodyOutput: MessageSink {
  private let writer: HTTPResponseWriter

  init(_ writer: HTTPResponseWriter) { self.writer = writer }

  /// Sends the head.
  func begin(contentType: String) {
    writer.begin(HTTPResponse(status: .ok, headerFields: [.contentType: contentType]))
    writer.flush(ByteBuffer())
  }

  func write(_ message: LentMessage, completion: @escaping WriteCompletion) {
    let piece = message.payloadBuffer
    guard piece.readableBytes > 0 else { return completion(.success(())) }
    writer.write([piece], of: message, completion)
  }

  /// Closes the connection, because a stopped client would never take the rest. The write then fails.
  func abandonWrite() { writer.abort() }

  func end() { writer.end(ByteBuffer()) }
}
