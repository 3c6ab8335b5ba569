internal import CaptureCore
internal import RPCCore
internal import SwiftProtobuf

/// Makes wire messages around frame bytes that stay where they are.
///
/// A message goes out in two pieces: everything but the bytes, whose enclosing lengths count the bytes already, and
/// then the frame's own memory. It parses as what SwiftProtobuf would have written.
enum FrameSerializer {
  /// The place of a message in the message around it.
  struct Level {
    /// The field's number.
    var field: Int
    /// The serialized fields of lower numbers that stand beside it.
    var siblings: [UInt8] = []
  }

  /// Makes a message that holds `inner` at `level`. The last field of `inner` is `data`.
  ///
  /// - Parameters:
  ///   - inner: the message with its data field empty.
  ///   - outer: the levels around `level`, outermost first.
  static func message(
    _ inner: some Message, at level: Level, in outer: [Level] = [], dataField: Int, data: FrameBuffer
  ) throws -> LentMessage {
    let fields: [UInt8] = try inner.serializedBytes()
    return message(at: level, in: outer, dataField: dataField, data: data) { $0.encoded(fields) }
  }

  /// Makes such a message of fields that `write` writes from the last to the first.
  static func message(
    at level: Level, in outer: [Level] = [], dataField: Int, data: FrameBuffer, _ write: (inout WireWriter) -> Void
  ) -> LentMessage {
    // Frames of a preview fit into so many bytes.
    var writer = WireWriter(reservingCapacity: 256)
    writer.lengthDelimited(dataField, count: data.count)
    write(&writer)
    writer.enclose(in: level, with: data.count)
    for level in outer.reversed() { writer.enclose(in: level, with: data.count) }
    return LentMessage(header: writer.finish(), payload: FrameLoan(data))
  }
}

extension WireWriter {
  /// Makes a field of what was written and of the `count` bytes that follow it.
  fileprivate mutating func enclose(in level: FrameSerializer.Level, with count: Int) {
    lengthDelimited(level.field, count: self.count + count)
    encoded(level.siblings)
  }
}
