/// Writes protobuf's wire format (https://protobuf.dev/programming-guides/encoding) from the last byte to the first.
/// The length of a message comes before the message in this format, but is known only when the message is written. A
/// writer that goes backwards needs no second pass. The caller therefore writes the last field of a message first.
struct WireWriter {
  /// The bytes written so far, the last byte of the message first.
  private var reversed: [UInt8] = []

  /// Makes an empty writer.
  ///
  /// - Parameter capacity: the number of bytes for which the writer allocates once.
  init(reservingCapacity capacity: Int) { reversed.reserveCapacity(capacity) }

  /// The number of bytes written so far.
  var count: Int { reversed.count }

  /// Returns all bytes that were written, in the order in which they are sent.
  consuming func finish() -> [UInt8] {
    reversed.reverse()
    return reversed
  }

  /// Writes a field with a number or an enumeration, or nothing when `value` is 0: proto3 leaves out default values.
  mutating func field(_ number: Int, _ value: UInt64) {
    guard value != 0 else { return }
    varint(value)
    tag(number, wireType: 0)
  }

  /// Writes a field with a text, or nothing when `text` is empty: proto3 leaves out default values.
  mutating func field(_ number: Int, _ text: String) {
    guard !text.isEmpty else { return }
    reversed.append(contentsOf: text.utf8.reversed())
    lengthDelimited(number, count: text.utf8.count)
  }

  /// Writes a field with a message.
  ///
  /// - Parameter content: writes the fields of the message, from the last field to the first.
  mutating func message(_ number: Int, _ content: (inout WireWriter) -> Void) {
    let start = count
    content(&self)
    lengthDelimited(number, count: count - start)
  }

  /// Writes fields that are already encoded.
  mutating func encoded(_ fields: [UInt8]) { reversed.append(contentsOf: fields.reversed()) }

  /// Writes the tag and the length of a field. The content of the field, `count` bytes, comes after them in the
  /// message: either the caller has written it already, or it is sent after the writer's bytes.
  mutating func lengthDelimited(_ number: Int, count: Int) {
    varint(UInt64(count))
    tag(number, wireType: 2)
  }

  private mutating func tag(_ number: Int, wireType: UInt64) { varint(UInt64(number) << 3 | wireType) }

  private mutating func varint(_ value: UInt64) {
    // Each byte holds seven bits, the lowest ones first. The top bit says that another byte follows, so the last byte,
    // which is written first here, does not have it.
    var shift = (63 - max(value, 1).leadingZeroBitCount) / 7 * 7
    reversed.append(UInt8(truncatingIfNeeded: value >> UInt64(shift)))
    while shift > 0 {
      shift -= 7
      reversed.append(UInt8(truncatingIfNeeded: value >> UInt64(shift)) | 0x80)
    }
  }
}
