internal import HTTPTypes
internal import NIOCore
internal import RPCCore

/// The body of an answer that consists of parts, of which each one takes the place of the one before: what browsers and
/// players know as Motion JPEG over HTTP.
///
/// A part is a message whose header has the fields of the part. A message without a header writes nothing.
///
/// The parts go out as HTTP/1.0 until the end of the connection, as other servers of Motion JPEG send them, since many
/// players know no chunks.
final class PartOutput: MessageSink {
  /// Browsers look for the boundary in the whole body, so it must not occur in a picture.
  private static let boundary = "--firstlight-part-5f1e7a9c03b8d264"
  static let contentType = "multipart/x-mixed-replace; boundary=\(boundary.dropFirst(2))"

  private static let start = ByteBuffer(string: "\(boundary)\r\n")
  /// The boundary of the next part follows at once, because Blink shows a part when it has seen the next boundary.
  private static let tail = ByteBuffer(string: "\r\n\(boundary)\r\n")

  private let writer: HTTPResponseWriter

  init(_ writer: HTTPResponseWriter) { self.writer = writer }

  /// The head of an answer that ends with the connection.
  static func head(contentType: String) -> HTTPResponse {
    HTTPResponse(status: .ok, headerFields: [.contentType: contentType, .connection: "close"])
  }

  /// Sends the head, and the boundary before the first part.
  func begin() {
    writer.begin(Self.head(contentType: Self.contentType))
    writer.flush(Self.start)
  }

  func write(_ message: LentMessage, completion: @escaping WriteCompletion) {
    guard !message.header.isEmpty else { return completion(.success(())) }
    writer.write([message.headerBuffer, message.payloadBuffer, Self.tail], of: message, asRawBytes: true, completion)
  }

  /// Closes the connection, because a stopped client would never take the rest. The write then fails.
  func abandonWrite() { writer.abort() }

  func end() { writer.end(ByteBuffer()) }
}
