internal import NIOCore

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
