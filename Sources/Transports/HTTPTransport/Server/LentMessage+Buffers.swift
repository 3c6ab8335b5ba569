internal import NIOCore
internal import RPCCore

/// The payload of a message as one buffer, which all viewers by HTTP share whatever stands around the payload.
///
/// The buffer is the one copy of a frame's bytes: NIO writes only memory of its own.
enum PayloadForm: MessageForm {
  static func make(of message: LentMessage) -> UnsafeMutableRawPointer? {
    message.payload.withUnsafeBytes { BufferBox.retained(ByteBuffer(bytes: $0)) }
  }

  static func free(_ form: UnsafeMutableRawPointer) { BufferBox.release(form) }
}

/// The header of a message as one buffer, which all viewers of the message share.
enum HeaderForm: MessageForm {
  static func make(of message: LentMessage) -> UnsafeMutableRawPointer? {
    BufferBox.retained(ByteBuffer(bytes: message.header))
  }

  static func free(_ form: UnsafeMutableRawPointer) { BufferBox.release(form) }
}

/// Holds a buffer at an address, as forms of messages need.
private final class BufferBox {
  private let buffer: ByteBuffer

  private init(_ buffer: ByteBuffer) { self.buffer = buffer }

  static func retained(_ buffer: ByteBuffer) -> UnsafeMutableRawPointer {
    Unmanaged.passRetained(BufferBox(buffer)).toOpaque()
  }

  static func release(_ box: UnsafeMutableRawPointer) { Unmanaged<BufferBox>.fromOpaque(box).release() }

  static func buffer(in box: UnsafeMutableRawPointer?) -> ByteBuffer {
    box.map { Unmanaged<BufferBox>.fromOpaque($0).takeUnretainedValue().buffer } ?? ByteBuffer()
  }
}

extension LentMessage {
  /// The payload as a buffer that all messages with this payload share.
  var payloadBuffer: ByteBuffer {
    var buffer = ByteBuffer()
    withPayloadForm(PayloadForm.self) { buffer = BufferBox.buffer(in: $0) }
    return buffer
  }

  /// The header as a buffer that all writes of this message share.
  var headerBuffer: ByteBuffer {
    var buffer = ByteBuffer()
    withForm(HeaderForm.self) { buffer = BufferBox.buffer(in: $0) }
    return buffer
  }
}
