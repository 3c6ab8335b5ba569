internal import NIOCore
internal import RPCCore

/// The payload of a message as one buffer, which all viewers by HTTP share whatever stands around the payload.
///
/// The buffer is the one copy of a frame's bytes: NIO writes only memory of its own.
enum PayloadForm: MessageForm {
  private final class Box {
    let buffer: ByteBuffer

    init(_ buffer: ByteBuffer) { self.buffer = buffer }
  }

  static func make(of message: LentMessage) -> UnsafeMutableRawPointer? {
    message.payload.withUnsafeBytes { Unmanaged.passRetained(Box(ByteBuffer(bytes: $0))).toOpaque() }
  }

  static func free(_ form: UnsafeMutableRawPointer) { Unmanaged<Box>.fromOpaque(form).release() }

  fileprivate static func buffer(at form: UnsafeMutableRawPointer?) -> ByteBuffer? {
    form.map { Unmanaged<Box>.fromOpaque($0).takeUnretainedValue().buffer }
  }
}

extension LentMessage {
  /// The payload as a buffer that all messages with this payload share.
  var payloadBuffer: ByteBuffer {
    var buffer: ByteBuffer?
    withPayloadForm(PayloadForm.self) { buffer = PayloadForm.buffer(at: $0) }
    return buffer ?? ByteBuffer()
  }
}
