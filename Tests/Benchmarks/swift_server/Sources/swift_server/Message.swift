/// Writes a firstlight.v1.StreamPreviewResponse with a frame in its wire format. The code is written by hand, so that
/// the message is made once for all subscribers. Generated code would write the message, with the picture, for each of
/// them.
enum Message {
  private static let width: UInt64 = 320

  static func make(sequence: UInt64, time: UInt64, payload: Int) -> [UInt8] {
    var frame: [UInt8] = []
    append(1, text: "swift", to: &frame)
    for (field, value) in [(2, 1), (3, sequence), (5, time), (7, width), (8, UInt64(payload) / (2 * width))] {
      append(varint: UInt64(field) << 3, to: &frame)
      append(varint: value, to: &frame)
    }
    append(varint: 1000 << 3 | 2, to: &frame)
    append(varint: UInt64(payload), to: &frame)
    var message: [UInt8] = []
    message.reserveCapacity(payload + frame.count + 16)
    append(varint: 2 << 3 | 2, to: &message)
    append(varint: UInt64(frame.count + payload), to: &message)
    message += frame
    message += repeatElement(UInt8(truncatingIfNeeded: sequence), count: payload)
    return message
  }

  private static func append(_ field: UInt64, text: String, to bytes: inout [UInt8]) {
    append(varint: field << 3 | 2, to: &bytes)
    append(varint: UInt64(text.utf8.count), to: &bytes)
    bytes += text.utf8
  }

  private static func append(varint: UInt64, to bytes: inout [UInt8]) {
    var value = varint
    while value >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: value) | 0x80)
      value >>= 7
    }
    bytes.append(UInt8(value))
  }
}
