/// Writes protobuf's wire format (https://protobuf.dev/programming-guides/encoding) from the last byte to the first: the
/// length of a message stands before it, and is known once the message is written. So fields are written last to first too.
struct WireWriter {
  /// The last byte comes first.
  private var reversed: [UInt8] = []

  /// - Parameter capacity: bytes that are written without allocating again.
  init(reservingCapacity capacity: Int) { reversed.reserveCapacity(capacity) }

  /// Bytes so far.
  var count: Int { reversed.count }

  /// All that was written, first to last.
  consuming func finish() -> [UInt8] {
    reversed.reverse()
    return reversed
  }

  /// A number or an enumeration, left out when 0, as proto3 does.
  mutating func field(_ number: Int, _ value: UInt64) {
    guard value != 0 else { return }
    varint(value)
    tag(number, wireType: 0)
  }

  /// A text, left out when empty, as proto3 does.
  mutating func field(_ number: Int, _ text: String) {
    guard !text.isEmpty else { return }
    reversed.append(contentsOf: text.utf8.reversed())
    lengthDelimited(number, count: text.utf8.count)
  }

  /// A message.
  ///
  /// - Parameter content: writes its fields, last to first.
  mutating func message(_ number: Int, _ content: (inout WireWriter) -> Void) {
    let start = count
    content(&self)
    lengthDelimited(number, count: count - start)
  }

  /// Fields that are encoded already.
  mutating func encoded(_ fields: [UInt8]) { reversed.append(contentsOf: fields.reversed()) }

  /// Tag and length of a field whose `count` bytes follow.
  mutating func lengthDelimited(_ number: Int, count: Int) {
    varint(UInt64(count))
    tag(number, wireType: 2)
  }

  private mutating func tag(_ number: Int, wireType: UInt64) { varint(UInt64(number) << 3 | wireType) }

  private mutating func varint(_ value: UInt64) {
    // Seven bits a byte; the last byte has no further one.
    var shift = (63 - max(value, 1).leadingZeroBitCount) / 7 * 7
    reversed.append(UInt8(truncatingIfNeeded: value >> UInt64(shift)))
    while shift > 0 {
      shift -= 7
      reversed.append(UInt8(truncatingIfNeeded: value >> UInt64(shift)) | 0x80)
    }
  }
}
