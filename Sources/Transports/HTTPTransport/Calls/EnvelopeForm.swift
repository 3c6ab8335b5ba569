internal import NIOCore
internal import RPCCore

/// A message in its envelope, as one buffer that all viewers share.
///
/// The buffer is the one copy of the frame's bytes: NIO writes only memory of its own.
enum EnvelopeForm: MessageForm {
  private final class Box {
    let buffer: ByteBuffer

    init(_ buffer: ByteBuffer) { self.buffer = buffer }
  }

  static func make(of message: LentMessage) -> UnsafeMutableRawPointer? {
    message.payload.withUnsafeBytes { payload in
      let count = message.header.count + payload.count
      var buffer = ByteBuffer()
      buffer.reserveCapacity(Envelope.prefixBytes + count)
      buffer.writeBytes(Envelope.prefix(flags: 0, count: count))
      buffer.writeBytes(message.header)
      buffer.writeBytes(payload)
      return Unmanaged.passRetained(Box(buffer)).toOpaque()
    }
  }

  static func free(_ form: UnsafeMutableRawPointer) { Unmanaged<Box>.fromOpaque(form).release() }

  /// The buffer of a form that ``make(of:)`` made.
  static func buffer(at form: UnsafeMutableRawPointer?) -> ByteBuffer? {
    form.map { Unmanaged<Box>.fromOpaque($0).takeUnretainedValue().buffer }
  }
}
