internal import HummingbirdCore
internal import Locking
internal import NIOCore
internal import RPCCore

/// Reads the messages of a request's body while the handler asks for them.
final class RequestMessages: Sendable {
  private let body: RequestBody
  private let head: RPCRequestHead
  /// The largest message in bytes as the client sends it.
  private let limit: Int
  private let isStream: Bool
  private let json: JSONForms?
  private let complete = Locked(false)

  /// - Parameters:
  ///   - limit: the largest message in bytes of its protobuf encoding.
  ///   - isStream: whether the client sends any number of messages. Otherwise it sends one.
  ///   - json: the JSON forms of the method's messages. Nil for an unknown method, whose messages nobody reads.
  init(_ body: RequestBody, head: RPCRequestHead, limit: Int, isStream: Bool, json: JSONForms?) {
    self.body = body
    self.head = head
    // JSON has bytes as base64, which is a third longer. The handler's side checks the limit again.
    self.limit = head.format == .json ? limit * 3 / 2 : limit
    self.isStream = isStream
    self.json = json
  }

  /// Whether the whole body was read. The connection cannot take another request before.
  var isComplete: Bool { complete.withLock(\.self) }

  /// Gives the call a message each time its handler asks for one, until the task is cancelled.
  func feed(_ call: HTTPCall) async {
    var bytes = body.makeAsyncIterator()
    var decoder = EnvelopeDecoder(limit: limit, mayBeCompressed: head.mayBeCompressed)
    var text = Base64Stream()
    var isFirst = true
    for await _ in call.reads {
      do {
        if isStream {
          call.progress.readDone(.success(try await nextOfStream(&bytes, &decoder, &text)))
        } else {
          call.progress.readDone(.success(isFirst ? try await onlyMessage(&bytes, &decoder, &text) : nil))
          isFirst = false
        }
      } catch {
        call.progress.readDone(.failure(failure(error, call)))
      }
    }
  }

  /// The error that the handler gets when the body cannot be read.
  private func failure(_ error: any Error, _ call: HTTPCall) -> any Error {
    if error is RPCError || error is CancellationError { return error }
    return call.isCancelled
      ? CancellationError() : RPCError.malformedBody("The body of the request is not valid HTTP, or it ends too early.")
  }

  private func nextOfStream(
    _ bytes: inout RequestBody.AsyncIterator, _ decoder: inout EnvelopeDecoder, _ text: inout Base64Stream
  ) async throws -> RequestBytes? {
    while true {
      if let envelope = try decoder.next() { return try message(envelope) }
      guard let chunk = try await bytes.next() else {
        complete.withLock { $0 = true }
        decoder.append(try text.finish())
        if let envelope = try decoder.next() { return try message(envelope) }
        try decoder.checkEnd()
        return nil
      }
      decoder.append(try plain(chunk, &text))
    }
  }

  private func onlyMessage(
    _ bytes: inout RequestBody.AsyncIterator, _ decoder: inout EnvelopeDecoder, _ text: inout Base64Stream
  ) async throws -> RequestBytes? {
    let prefix = head.wireProtocol == .connectUnary ? 0 : Envelope.prefixBytes
    var whole = ByteBuffer()
    while let chunk = try await bytes.next() {
      whole.writeImmutableBuffer(try plain(chunk, &text))
      guard whole.readableBytes <= limit + prefix else {
        throw RPCError.requestTooLarge(bytes: whole.readableBytes, limit: limit)
      }
    }
    complete.withLock { $0 = true }
    whole.writeImmutableBuffer(try text.finish())
    if head.wireProtocol == .connectUnary {
      return try message(Envelope(flags: head.mayBeCompressed ? Envelope.compressed : Envelope.message, payload: whole))
    }
    decoder.append(whole)
    let only = try decoder.next()
    guard try decoder.next() == nil else {
      throw RPCError(
        .invalidArgument, "\(head.method) takes one request; the client sent more.", reason: "MALFORMED_REQUEST")
    }
    try decoder.checkEnd()
    return try only.map(message)
  }

  private func plain(_ chunk: ByteBuffer, _ text: inout Base64Stream) throws -> ByteBuffer {
    head.wireProtocol == .grpcWebText ? try text.decode(chunk) : chunk
  }

  private func message(_ envelope: Envelope) throws -> RequestBytes {
    var bytes = Array(envelope.payload.readableBytesView)
    // Connect's protocol says that nothing is not to be decompressed.
    if envelope.flags == Envelope.compressed, !bytes.isEmpty { bytes = try Gzip.decompress(bytes, limit: limit) }
    guard head.format == .json, let json else { return RequestBytes(bytes) }
    return RequestBytes(try json.request(bytes))
  }
}

/// The protobuf encoding of one message from the client.
struct RequestBytes: ReceivedBytes {
  private let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var count: Int { bytes.count }

  func withUnsafeBytes<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
    // The function of the array rethrows errors without their type, so the body's outcome is carried through as a
    // result.
    let result: Result<R, E> = bytes.withUnsafeBytes { buffer in
      do throws(E) { return .success(try body(buffer)) } catch { return .failure(error) }
    }
    return try result.get()
  }
}
