internal import HTTPTypes
internal import NIOCore
public import RPCCore

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

/// Sends a content to a client that takes it as fast as it likes. One piece is in memory at a time.
struct ContentOutput {
  /// The size of a piece. It is larger than the kernel's send buffer, so that a piece fills the buffer.
  private static let pieceBytes = 256 << 10

  let content: HTTPContent
  let writer: HTTPResponseWriter

  /// Answers a request.
  ///
  /// - Throws: what reading the first piece throws. The client has no answer then. When a later piece cannot be read,
  ///   or the task is cancelled, the connection is closed, so that the client notices that bytes are missing.
  func answer(_ request: HTTPPageRequest) async throws {
    let answer = content.answer(to: request.fields)
    guard let range = answer.range, !range.isEmpty, !request.isHead else {
      writer.begin(answer.head)
      return writer.end(request.isHead ? ByteBuffer() : ByteBuffer(string: answer.message))
    }
    var offset = range.lowerBound
    var piece = try await self.piece(at: offset, of: range)
    writer.begin(answer.head)
    do {
      while true {
        try await writer.write(piece)
        offset += UInt64(piece.readableBytes)
        guard offset < range.upperBound else { break }
        piece = try await self.piece(at: offset, of: range)
      }
    } catch {
      writer.abort()
    }
    writer.end(ByteBuffer())
  }

  private func piece(at offset: UInt64, of range: Range<UInt64>) async throws -> ByteBuffer {
    let bytes = try await content.read(offset, Int(min(UInt64(Self.pieceBytes), range.upperBound - offset)))
    guard !bytes.isEmpty else { throw ContentIsShort() }
    return ByteBuffer(bytes: bytes)
  }
}

/// The content has fewer bytes than it said, for example because somebody cut its file off.
private struct ContentIsShort: Error {}

extension LentMessage {
  /// Makes a part of ``HTTPPageWriter/sendParts(from:)``.
  ///
  /// - Parameters:
  ///   - payload: a message whose payload is the content of the part. All viewers of this payload share its bytes.
  ///   - contentType: the type of the content.
  ///   - fields: further fields of the part. Their values must be printable ASCII.
  public convenience init(
    part payload: LentMessage, contentType: String, fields: KeyValuePairs<String, String>
  ) {
    let count = payload.payload.withUnsafeBytes(\.count)
    var lines = "Content-Type: \(contentType)\r\nContent-Length: \(count)\r\n"
    for (name, value) in fields { lines += "\(name): \(value)\r\n" }
    lines += "\r\n"
    self.init(header: Array(lines.utf8), sharingPayloadOf: payload)
  }
}
