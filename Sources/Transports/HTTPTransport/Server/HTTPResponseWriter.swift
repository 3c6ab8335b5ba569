internal import HTTPTypes
internal import NIOCore
internal import NIOHTTPTypes
internal import RPCCore

/// Writes the answer to one request to its connection, from any thread, one part after the other.
///
/// The parts go directly to the channel instead of through Hummingbird's writer, whose writes are asynchronous: each
/// picture would wake a task for each viewer, while the thread that brings the picture can start the write itself.
final class HTTPResponseWriter: Sendable {
  let channel: any Channel
  private let isHead: Bool
  /// The origin of the page that asks, when it is another origin that may call the server.
  private let origin: String?
  /// The names of the request's parameters that nobody reads, as a field of the head. Nil when there are none.
  private let ignoredParameters: String?
  private let ended: EventLoopPromise<Void>
  private let pace: NIOLoopBoundBox<StreamPace?>

  /// Makes the writer of one answer, which must be ended.
  ///
  /// - Parameters:
  ///   - isHead: whether the client asks for the head only.
  ///   - origin: another origin whose page may read the answer. Nil when there is none.
  ///   - ignoredParameters: the names of the request's parameters that nobody reads, as the client wrote them.
  init(
    channel: any Channel, isHead: Bool = false, origin: String? = nil, ignoredParameters: [Substring] = []
  ) {
    self.channel = channel
    self.isHead = isHead
    self.origin = origin
    self.ignoredParameters = Self.field(of: ignoredParameters)
    ended = channel.eventLoop.makePromise()
    pace = .makeEmptyBox(eventLoop: channel.eventLoop)
  }

  /// Sends a whole answer.
  func send(_ head: HTTPResponse, _ body: [UInt8]) {
    var head = head
    // The answer 304 has no body, and its length would be that of another answer.
    if head.status != .notModified { head.headerFields[.contentLength] = "\(body.count)" }
    begin(head)
    end(isHead ? ByteBuffer() : ByteBuffer(bytes: body))
  }

  /// Sends a sentence for people, and says that the connection ends, because the rest of the request is not read.
  func refuse(_ status: HTTPResponse.Status, _ message: String, allow: String? = nil) {
    var head = HTTPResponse(
      status: status, headerFields: [.contentType: "text/plain; charset=utf-8", .connection: "close"])
    if let allow { head.headerFields[.allow] = allow }
    send(head, Array("\(message)\n".utf8))
    ended.futureResult.whenComplete { [channel] _ in channel.close(promise: nil) }
  }

  /// Sends the head of an answer.
  func begin(_ head: HTTPResponse) {
    var head = head
    if !head.headerFields.contains(.cacheControl) { head.headerFields[.cacheControl] = "no-store" }
    // A browser must not guess a type, or it may run a text as a script.
    head.headerFields[.xContentTypeOptions] = "nosniff"
    // A page of another site must not show the answer, for example as an image. Where the page may call the server, it
    // asks with its origin, and this field does not count.
    head.headerFields[.crossOriginResourcePolicy] = "same-origin"
    if let ignoredParameters { head.headerFields[.xIgnoredParameters] = ignoredParameters }
    // nginx would keep the end of a picture until the next one comes. An answer with a length comes whole anyway.
    if head.status == .ok, !head.headerFields.contains(.contentLength) { head.headerFields[.xAccelBuffering] = "no" }
    if let origin {
      head.headerFields[.accessControlAllowOrigin] = origin
      head.headerFields[.accessControlExposeHeaders] = "*"
      head.headerFields[.vary] = "Origin"
    }
    channel.write(HTTPResponsePart.head(head), promise: nil)
  }

  /// The names as a list that fits into a field: at most eight, of printable ASCII, and each cut to 40 characters.
  private static func field(of names: [Substring]) -> String? {
    guard !names.isEmpty else { return nil }
    return names.prefix(8).map { name in
      String(decoding: name.utf8.prefix(40).map { (0x21...0x7E).contains($0) ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
    }.joined(separator: ", ")
  }

  /// Sends the beginning of the body together with the head, before the first ``write(_:of:_:)``.
  func flush(_ body: ByteBuffer) { channel.writeAndFlush(HTTPResponsePart.body(body), promise: nil) }

  /// Allows a page of another origin the request that its browser asks for, which is a preflight in the terms of
  /// <https://fetch.spec.whatwg.org>.
  func allow(_ request: HTTPFields) {
    var head = HTTPResponse(status: .noContent)
    head.headerFields[.accessControlAllowMethods] = "GET, POST"
    head.headerFields[.accessControlAllowHeaders] = request[.accessControlRequestHeaders] ?? ""
    head.headerFields[.accessControlMaxAge] = "600"
    begin(head)
    end(ByteBuffer())
  }

  /// Lets a client go on that waits for a word before it sends the body (`Expect: 100-continue`).
  func acknowledge(_ request: HTTPFields) {
    guard request[.expect]?.lowercased() == "100-continue" else { return }
    channel.writeAndFlush(HTTPResponsePart.head(HTTPResponse(status: .continue)), promise: nil)
  }

  /// Sends a part of the body. Calls `completion` when the kernel has all of it and the client reads what it gets, or
  /// with an error when the connection is closed.
  ///
  /// - Parameters:
  ///   - pieces: at least one buffer. Buffers that several answers share are not copied.
  ///   - message: the message that the buffers belong to. It lives until the kernel has all of them. The frames of its
  ///     pool thus bound the copies that wait for slow clients.
  ///   - asRawBytes: whether the pieces go past the handlers that frame a body. Only for a body that ends with the
  ///     connection, which has no framing.
  func write(
    _ pieces: [ByteBuffer], of message: LentMessage, asRawBytes: Bool = false, _ completion: @escaping WriteCompletion
  ) {
    // One change of thread for all pieces.
    guard channel.eventLoop.inEventLoop else {
      return channel.eventLoop.execute { self.writeOnLoop(pieces, of: message, asRawBytes, completion) }
    }
    writeOnLoop(pieces, of: message, asRawBytes, completion)
  }

  private func writeOnLoop(
    _ pieces: [ByteBuffer], of message: LentMessage, _ asRawBytes: Bool, _ completion: @escaping WriteCompletion
  ) {
    let bytes = pieces.reduce(0) { $0 + $1.readableBytes }
    let written = channel.eventLoop.makePromise(of: Void.self)
    written.futureResult.assumeIsolated().whenComplete { [self] result in
      withExtendedLifetime(message) {}
      guard case .success = result else { return completion(.failure(CancellationError())) }
      let pace = pace.value ?? StreamPace(channel)
      self.pace.value = pace
      pace.wrote(bytes) { completion(.success(())) }
    }
    // A closed channel has no handlers. The writes below then fail.
    if asRawBytes, let raw = try? channel.pipeline.syncOperations.handler(type: RawBytes.self) {
      return raw.write(pieces, promise: written)
    }
    for piece in pieces.dropLast() { channel.write(HTTPResponsePart.body(piece), promise: nil) }
    channel.writeAndFlush(HTTPResponsePart.body(pieces[pieces.count - 1]), promise: written)
  }

  /// Sends a part of the body, and returns when the kernel has all of it. A client that does not read may have more
  /// unread than by ``write(_:of:asRawBytes:_:)``, because the bytes do not get old. The connection is closed when the
  /// task is cancelled.
  ///
  /// - Throws: the error of the connection.
  func write(_ piece: ByteBuffer) async throws {
    try await withTaskCancellationHandler {
      try await channel.writeAndFlush(HTTPResponsePart.body(piece))
    } onCancel: {
      abort()
    }
  }

  /// Sends the last part of the body.
  func end(_ body: ByteBuffer) {
    if body.readableBytes > 0 { channel.write(HTTPResponsePart.body(body), promise: nil) }
    channel.writeAndFlush(HTTPResponsePart.end(nil), promise: ended)
  }

  /// Closes the connection.
  func abort() { channel.close(promise: nil) }

  /// Returns when the kernel has the whole answer, or when the connection is closed.
  func waitForEnd() async { try? await ended.futureResult.get() }
}

extension HTTPField.Name {
  fileprivate static let xIgnoredParameters = Self("X-Ignored-Parameters")!
  fileprivate static let xAccelBuffering = Self("X-Accel-Buffering")!
}
