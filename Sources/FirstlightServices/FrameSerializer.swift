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
    _ inner: some Message, at path: Level..., dataField: Int, data: FrameBuffer
  ) throws -> LentMessage {
    var header: [UInt8] = try inner.serializedBytes() + lengthDelimited(dataField, count: data.count)
    for level in path.reversed() {
      header = level.siblings + lengthDelimited(level.field, count: header.count + data.count) + header
    }
    return LentMessage(header: header, payload: FrameLoan(data))
  }

  /// Tag and length of a length-delimited field.
  private static func lengthDelimited(_ field: Int, count: Int) -> [UInt8] {
    varint(UInt64(field) << 3 | 2) + varint(UInt64(count))
  }

  private static func varint(_ value: UInt64) -> [UInt8] {
    var value = value
    var bytes: [UInt8] = []
    while value >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: value) | 0x80)
      value >>= 7
    }
    bytes.append(UInt8(value))
    return bytes
  }
}
