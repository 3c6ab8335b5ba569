internal import NIOCore
internal import RPCCore

/// Cuts the body of a request into envelopes while the body arrives.
///
/// The decoder holds at most one message and the bytes of one read, provided that its owner calls ``next()`` after each
/// ``append(_:)`` until there is no further envelope.
struct EnvelopeDecoder: Sendable {
  private let limit: Int
  private let mayBeCompressed: Bool
  /// The bytes that have arrived and that ``next()`` has not yet looked at.
  private var input = ByteBuffer()
  /// The prefix of the envelope that is arriving.
  private var prefix: [UInt8] = []
  /// The beginning of the message that is arriving. The message is empty when all its bytes came in one read.
  private var message = ByteBuffer()

  /// Makes a decoder at the beginning of a body.
  ///
  /// - Parameters:
  ///   - limit: the length of the longest message that the decoder accepts, in bytes.
  ///   - mayBeCompressed: whether the client said that it compresses messages.
  init(limit: Int, mayBeCompressed: Bool = false) {
    self.limit = limit
    self.mayBeCompressed = mayBeCompressed
  }

  /// Adds bytes that have arrived.
  mutating func append(_ bytes: ByteBuffer) {
    if input.readableBytes == 0 { input = bytes } else { input.writeImmutableBuffer(bytes) }
  }

  /// Returns the next envelope. Nil when more bytes must arrive first.
  ///
  /// - Throws: ``RPCError`` `REQUEST_TOO_LARGE` or `MALFORMED_REQUEST`. No further envelope can be read then.
  mutating func next() throws(RPCError) -> Envelope? {
    if let bytes = input.readBytes(length: min(Envelope.prefixBytes - prefix.count, input.readableBytes)) {
      prefix += bytes
    }
    guard prefix.count == Envelope.prefixBytes else { return nil }
    let missing = try messageBytes() - message.readableBytes
    guard let rest = input.readSlice(length: missing) else {
      message.writeBuffer(&input)
      input = ByteBuffer()
      return nil
    }
    defer {
      prefix.removeAll(keepingCapacity: true)
      message = ByteBuffer()
    }
    guard message.readableBytes > 0 else { return Envelope(flags: prefix[0], payload: rest) }
    message.writeImmutableBuffer(rest)
    return Envelope(flags: prefix[0], payload: message)
  }

  /// True when no envelope has begun to arrive. At any other place, the body must not end.
  var isEmpty: Bool { prefix.isEmpty && input.readableBytes == 0 }

  /// Checks that the body may end here.
  ///
  /// - Throws: ``RPCError`` `MALFORMED_REQUEST` when the last envelope has not arrived as a whole.
  func checkEnd() throws(RPCError) {
    guard isEmpty else { throw .malformedBody("The body of the request ends within a message.") }
  }

  /// Returns the length of the message that is arriving.
  private func messageBytes() throws(RPCError) -> Int {
    switch prefix[0] {
    case Envelope.message: break
    case Envelope.compressed where mayBeCompressed: break
    case Envelope.compressed:
      throw .malformedBody("A message of the request is compressed, but the request does not name the format.")
    case let flags: throw .malformedBody("A message of the request has the flags \(flags), which have no meaning here.")
    }
    let length = prefix[1...].reduce(0) { $0 << 8 | Int($1) }
    guard length <= limit else { throw .requestTooLarge(bytes: length, limit: limit) }
    return length
  }
}
