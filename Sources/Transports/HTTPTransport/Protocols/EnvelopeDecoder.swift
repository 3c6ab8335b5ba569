internal import CZlib
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

/// One message of a body that consists of envelopes: a byte of flags, the length in four bytes, and the message.
/// Streams of Connect and all bodies of gRPC-Web have this form.
struct Envelope: Hashable, Sendable {
  /// The length of the flags and the length together.
  static let prefixBytes = 5

  /// The flags of a message that is neither compressed nor the last one.
  static let message: UInt8 = 0
  /// The flag of a compressed message.
  static let compressed: UInt8 = 0x01
  /// The flag of the text that ends a stream of Connect.
  static let endOfStream: UInt8 = 0x02
  /// The flag of the trailers that end a response of gRPC-Web.
  static let trailers: UInt8 = 0x80

  /// The flags, which are ``message`` or ``compressed`` in an envelope from a client.
  var flags = Envelope.message
  let payload: ByteBuffer

  /// Returns the bytes that come before a payload.
  ///
  /// - Parameter count: the length of the payload, which must be below 4 GiB.
  static func prefix(flags: UInt8 = message, count: Int) -> [UInt8] {
    let length = UInt32(count)
    return [flags] + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: length >> $0) }
  }
}

/// The gzip format (RFC 1952), in which a client may send its messages and may take the answer of a unary method.
enum Gzip {
  /// The name of the format in the fields of HTTP and of the protocols.
  static let name = "gzip"

  /// Decompresses a message.
  ///
  /// - Parameters:
  ///   - bytes: the message as the client sent it.
  ///   - limit: the most bytes that the message may have. A small message may decompress to a thousand times its size.
  /// - Throws: ``RPCError`` `REQUEST_TOO_LARGE`, or `MALFORMED_REQUEST` for bytes that are not one gzip file.
  static func decompress(_ bytes: [UInt8], limit: Int) throws(RPCError) -> [UInt8] {
    guard !bytes.isEmpty else { throw .malformedBody("A message of the request is not a gzip file.") }
    // gzip makes a file at most 1,032 times smaller.
    let capacity = min(limit, bytes.count * 1032)
    var result = 0
    let message = [UInt8](unsafeUninitializedCapacity: capacity) { memory, count in
      result = czlib_decompress(bytes, bytes.count, memory.baseAddress, capacity)
      count = max(0, result)
    }
    switch result {
    case Int(CZLIB_TOO_LARGE):
      throw RPCError(
        .resourceExhausted, "The request has more than \(limit) bytes when it is decompressed; send less.",
        reason: "REQUEST_TOO_LARGE", metadata: ["limit": "\(limit)"])
    case ..<0: throw .malformedBody("A message of the request is not a gzip file.")
    default: return message
    }
  }

  /// Compresses an answer. Nil when memory is short.
  static func compress(_ bytes: [UInt8]) -> [UInt8]? {
    let capacity = czlib_bound(bytes.count)
    var result = 0
    let file = [UInt8](unsafeUninitializedCapacity: capacity) { memory, count in
      result = czlib_compress(bytes, bytes.count, memory.baseAddress!, capacity)
      count = max(0, result)
    }
    return result < 0 ? nil : file
  }
}
