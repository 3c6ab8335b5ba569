internal import HTTPTypes
internal import Locking
internal import NIOCore
internal import RPCCore

/// The answers to a call by Connect's streaming protocol or by gRPC-Web: messages in envelopes, then the status.
final class StreamOutput: CallOutput {
  private let writer: HTTPResponseWriter
  private let contentType: ContentType
  private let json: JSONForms?
  private let hasHead = Locked(false)

  /// Makes the output of one call.
  ///
  /// - Parameter json: the JSON forms of the method's messages. Nil for an unknown method, which has no responses.
  init(_ writer: HTTPResponseWriter, _ contentType: ContentType, _ json: JSONForms?) {
    self.writer = writer
    self.contentType = contentType
    self.json = json
  }

  func write(_ message: LentMessage, _ completion: @escaping WriteCompletion) {
    guard contentType.isText else { return writeEnveloped(message, completion) }
    // The thread that brings the message may be a camera's, and a text costs far more than the write of shared bytes.
    writer.channel.eventLoop.execute { self.writeEnveloped(message, completion) }
  }

  private func writeEnveloped(_ message: LentMessage, _ completion: @escaping WriteCompletion) {
    let body: [ByteBuffer]
    do { body = try enveloped(message) } catch { return completion(.failure(RPCError.notJSON)) }
    sendHead()
    writer.write(body, of: message, completion)
  }

  func finish(_ status: CallStatus, _ trailingMetadata: Metadata) {
    sendHead()
    var error: RPCError?
    var body = ByteBuffer()
    switch status {
    case .ok(nil): break
    case .ok(let message?):
      do {
        for piece in try enveloped(message) { body.writeImmutableBuffer(piece) }
      } catch {
        return end(body, .notJSON, trailingMetadata)
      }
    case .error(let failure): error = failure
    }
    end(body, error, trailingMetadata)
  }

  func abort() { writer.abort() }

  func waitForEnd() async { await writer.waitForEnd() }

  private func end(_ body: ByteBuffer, _ error: RPCError?, _ trailingMetadata: Metadata) {
    let envelope =
      contentType.wireProtocol == .connectStream
      ? ConnectEndOfStream(error, metadata: trailingMetadata).envelope
      : GRPCWebTrailers(error, metadata: trailingMetadata).envelope
    var body = body
    body.writeImmutableBuffer(text(ByteBuffer(bytes: envelope)))
    writer.end(body)
  }

  private func sendHead() {
    let isFirst = hasHead.withLock { hasHead in
      defer { hasHead = true }
      return !hasHead
    }
    if isFirst { writer.begin(ResponseHead(contentType).response) }
  }

  /// The message in its envelope, as text for calls that want text. All binary calls share one copy of the payload of
  /// a large message.
  private func enveloped(_ message: LentMessage) throws -> [ByteBuffer] {
    if contentType.format == .json, let json {
      let bytes = try json.response(message)
      return [text(ByteBuffer(bytes: Envelope.prefix(count: bytes.count) + bytes))]
    }
    let payloadBytes = message.payload.withUnsafeBytes(\.count)
    var header = ByteBuffer()
    header.reserveCapacity(Envelope.prefixBytes + message.header.count + (isShared(payloadBytes) ? 0 : payloadBytes))
    header.writeBytes(Envelope.prefix(count: message.header.count + payloadBytes))
    header.writeBytes(message.header)
    if isShared(payloadBytes) { return [header, message.payloadBuffer] }
    message.payload.withUnsafeBytes { _ = header.writeBytes($0) }
    return [text(header)]
  }

  /// Whether a payload of this length is sent from the buffer that all calls share. One more buffer costs more than the
  /// copy of a small payload, and a text is made for each call anyway.
  private func isShared(_ payloadBytes: Int) -> Bool { payloadBytes > 4096 && !contentType.isText }

  /// The bytes as base64 in the text form of gRPC-Web, and as they are in every other protocol.
  private func text(_ bytes: ByteBuffer) -> ByteBuffer {
    contentType.wireProtocol == .grpcWebText ? ByteBuffer(string: Array(bytes.readableBytesView).base64) : bytes
  }
}
