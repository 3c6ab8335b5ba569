internal import HTTPTypes
internal import NIOCore
public import RPCCore

/// Writes the answer to one request for a page. A page sends one answer.
public struct HTTPPageWriter: Sendable {
  let writer: HTTPResponseWriter

  /// Sends a whole answer.
  public func send(_ answer: HTTPAnswer) { writer.send(answer.head, answer.body) }

  /// Answers a request for a content: with all of it or the part that the request asks for, or that the client has it
  /// already. Returns when the kernel has the answer, or when the connection is closed.
  ///
  /// - Throws: what reading the first piece throws. The page answers the error then.
  public func send(_ content: HTTPContent, for request: HTTPPageRequest) async throws {
    try await ContentOutput(content: content, writer: writer).answer(request)
  }

  /// Closes the connection without an answer, because the client is gone.
  public func abort() {
    writer.abort()
    writer.end(ByteBuffer())
  }

  /// Answers `HEAD` for a body whose length nobody knows yet.
  public func sendHead(contentType: String) {
    writer.begin(PartOutput.head(contentType: contentType))
    writer.end(ByteBuffer())
  }

  /// The content type of ``sendParts(from:)``.
  public static var contentTypeOfParts: String { PartOutput.contentType }

  /// Sends a body whose length nobody knows, piece by piece, until the source ends it with an error. The payload of a
  /// message is a piece; an empty payload sends nothing.
  ///
  /// Clients of HTTP/1.1 get the body in chunks and can tell its end from a broken connection; for clients of HTTP/1.0
  /// it ends with the connection. The next piece is asked for when the kernel has the piece and the client reads what
  /// it gets.
  ///
  /// - Throws: the error of the source, or `CancellationError` when the client is gone.
  public func sendBody(contentType: String, from source: some MessageSource) async throws {
    let output = BodyOutput(writer)
    output.begin(contentType: contentType)
    defer { output.end() }
    try await MessagePump(from: source, to: output).run()
  }

  /// Sends a stream of parts, each of which takes the place of the part before (`multipart/x-mixed-replace`), until the
  /// source ends the stream with an error. ``LentMessage/init(part:contentType:fields:)`` makes parts.
  ///
  /// The thread that brings a part starts the write, as for ``ResponseWriter/write(from:)``. The next part is asked for
  /// when the kernel has the part and the client reads what it gets.
  ///
  /// - Throws: the error of the source, or `CancellationError` when the client is gone.
  public func sendParts(from source: some MessageSource) async throws {
    let output = PartOutput(writer)
    output.begin()
    defer { output.end() }
    try await MessagePump(from: source, to: output).run()
  }
}
