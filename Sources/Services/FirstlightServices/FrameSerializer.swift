public import CaptureCore
public import RPCCore
internal import SwiftProtobuf

/// Makes protobuf messages around the bytes of a frame without copying the bytes.
///
/// A message has two pieces: a header with everything before the frame's bytes, and then the frame's own memory. The
/// lengths in the header already count the frame's bytes. Together, the two pieces parse as the message that
/// SwiftProtobuf would have written.
enum FrameSerializer {
  /// The place of a message in the message that contains it.
  struct Level {
    /// The number of the field that holds the message.
    var field: Int
    /// The serialized fields of the containing message that come before this field: those with lower numbers.
    var siblings: [UInt8] = []
  }

  /// Makes a message that contains `inner` at `level`, with `data` as the last field of `inner`.
  ///
  /// - Parameters:
  ///   - inner: the message without its field for the frame's bytes.
  ///   - level: the place of `inner` in the message around it.
  ///   - outer: the levels around `level`, outermost first; empty when `level` is a field of the whole message.
  ///   - dataField: the number of the field for the frame's bytes, above every other field number of `inner`.
  ///   - data: the frame's bytes. The message holds a loan of this buffer.
  /// - Throws: SwiftProtobuf's error when `inner` cannot be serialized.
  static func message(
    _ inner: some Message, at level: Level, in outer: [Level] = [], dataField: Int, data: FrameBuffer
  ) throws -> LentMessage {
    let fields: [UInt8] = try inner.serializedBytes()
    return message(at: level, in: outer, dataField: dataField, data: data) { $0.encoded(fields) }
  }

  /// Makes the same message as ``message(_:at:in:dataField:data:)``, but `write` writes the fields of the inner message
  /// itself, from the last field to the first.
  static func message(
    at level: Level, in outer: [Level] = [], dataField: Int, data: FrameBuffer, _ write: (inout WireWriter) -> Void
  ) -> LentMessage {
    // The header of a preview frame fits into 256 bytes, so that the writer allocates once.
    var writer = WireWriter(reservingCapacity: 256)
    writer.lengthDelimited(dataField, count: data.count)
    write(&writer)
    writer.enclose(in: level, with: data.count)
    for level in outer.reversed() { writer.enclose(in: level, with: data.count) }
    return LentMessage(header: writer.finish(), payload: FrameLoan(data))
  }
}

extension WireWriter {
  /// Makes the bytes written so far the content of the field of `level`, together with the `count` bytes of the frame
  /// that follow them. A writer goes from the end of a message to its beginning, so it writes the field's length and
  /// tag now, and then the siblings of the field, which precede the field in the message.
  fileprivate mutating func enclose(in level: FrameSerializer.Level, with count: Int) {
    lengthDelimited(level.field, count: self.count + count)
    encoded(level.siblings)
  }
}

/// Lets transports send the memory of a frame without a copy. The transport retains the loan until it has sent the
/// bytes, and the buffer lives and stays unchanged until then. The buffer counts as lent all that time, because a slow
/// reader may need minutes for one message.
extension FrameLoan: LentPayload {
  /// Calls `body` with the bytes of the lent buffer. The pointer is valid for as long as the loan lives.
  ///
  /// - Throws: the error that `body` throws.
  public func withUnsafeBytes<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
    try buffer.withUnsafeBytes(body)
  }
}
