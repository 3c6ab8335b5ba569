internal import CaptureCore
internal import GRPCTransport
internal import SwiftProtobuf

/// Makes wire messages around frame bytes that stay where they are.
///
/// A message goes out as two slices: everything but the bytes, with every enclosing length counting them already, then
/// the frame's own memory. It parses as what SwiftProtobuf would have written.
enum FrameSerializer {
  /// One message around another, on the way down to the one that holds the bytes.
  struct Level {
    /// The field's number.
    var field: Int
    /// Serialized fields of lower numbers beside it.
    var siblings: [UInt8] = []
  }

  /// A message that holds `inner` at the end of `path`, and in it, as the last field, `data`.
  ///
  /// - Parameter inner: with its data field empty.
  static func message(
    _ inner: some Message, at path: [Level], dataField: Int, data: FrameBuffer
  ) throws -> LentMessage {
    let fields: [UInt8] = try inner.serializedBytes()
    return message(at: path, dataField: dataField, data: data) { $0.encoded(fields) }
  }

  /// The same of fields that `write` writes, last to first.
  static func message(
    at path: [Level], dataField: Int, data: FrameBuffer, _ write: (inout WireWriter) -> Void
  ) -> LentMessage {
    // Room for the frames of a preview.
    var writer = WireWriter(reservingCapacity: 256)
    writer.lengthDelimited(dataField, count: data.count)
    write(&writer)
    for level in path.reversed() {
      writer.lengthDelimited(level.field, count: writer.count + data.count)
      writer.encoded(level.siblings)
    }
    return LentMessage(header: writer.bytes, payload: FrameLoan(data))
  }
}
