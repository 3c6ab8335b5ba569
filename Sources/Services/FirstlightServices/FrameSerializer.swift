internal import CaptureCore
internal import RPCCore
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
  /// Puts the tag and the length of the field of `level` before the bytes written so far, and the siblings of the field
  /// before that tag. The content of the field is those bytes and the `count` bytes of the frame that follow them.
  fileprivate mutating func enclose(in level: FrameSerializer.Level, with count: Int) {
    lengthDelimited(level.field, count: self.count + count)
    encoded(level.siblings)
  }
}
