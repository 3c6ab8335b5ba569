internal import CaptureCore
internal import GRPCTransport
internal import SwiftProtobuf

/// Makes wire messages around frame bytes that stay where they are.
///
/// A message goes out as two slices: everything but the bytes, with every enclosing length counting them already, then
/// the frame's own memory. It parses as what SwiftProtobuf would have written.
enum FrameSerializer {
  /// Where a message stands in the one around it.
  struct Level {
    /// The field's number.
    var field: Int
    /// Serialized fields of lower numbers beside it.
    var siblings: [UInt8] = []
  }

  /// A message that holds `inner` at `level`, and in it, as the last field, `data`.
  ///
  /// - Parameters:
  ///   - inner: with its data field empty.
  ///   - outer: levels around that, outermost first.
  static func message(
    _ inner: some Message, at level: Level, in outer: [Level] = [], dataField: Int, data: FrameBuffer
  ) throws -> LentMessage {
    let fields: [UInt8] = try inner.serializedBytes()
    return message(at: level, in: outer, dataField: dataField, data: data) { $0.encoded(fields) }
  }

  /// The same of fields that `write` writes, last to first.
  static func message(
    at level: Level, in outer: [Level] = [], dataField: Int, data: FrameBuffer, _ write: (inout WireWriter) -> Void
  ) -> LentMessage {
    // Room for the frames of a preview.
    var writer = WireWriter(reservingCapacity: 256)
    writer.lengthDelimited(dataField, count: data.count)
    write(&writer)
    writer.enclose(in: level, with: data.count)
    for level in outer.reversed() { writer.enclose(in: level, with: data.count) }
    return LentMessage(header: writer.finish(), payload: FrameLoan(data))
  }
}

extension WireWriter {
  /// Makes what was written, and `count` bytes that follow it, a field.
  fileprivate mutating func enclose(in level: FrameSerializer.Level, with count: Int) {
    lengthDelimited(level.field, count: self.count + count)
    encoded(level.siblings)
  }
}
