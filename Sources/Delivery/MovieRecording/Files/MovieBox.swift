/// The head of a box of MP4 or QuickTime (ISO/IEC 14496-12, 4.2).
struct MovieBox {
  /// The bytes that are enough for a head.
  static let maximumHead = 16

  /// The four letters that say what the box is.
  let name: String
  /// The number of bytes of the box, with its head.
  let size: UInt64
  /// The number of bytes of the head.
  let headCount: Int

  /// Reads a head from the beginning of `bytes`. Nil when they are no head: a file system may leave zeros where the
  /// power failed.
  init?(_ bytes: ArraySlice<UInt8>) {
    let name = bytes.dropFirst(4).prefix(4)
    guard name.count == 4, name.allSatisfy({ (0x20..<0x7f).contains($0) }) else { return nil }
    let short = bytes.number(at: 0, count: 4)
    // The size 1 says that a size of 64 bits follows. The muxer never leaves a size open, which would be 0.
    let isLong = short == 1
    if isLong, bytes.count < 16 { return nil }
    size = isLong ? bytes.number(at: 8, count: 8) : short
    headCount = isLong ? 16 : 8
    guard size >= UInt64(headCount) else { return nil }
    self.name = String(decoding: name, as: UTF8.self)
  }

  /// The boxes in the content of a box, with their own contents, up to the first that is not whole.
  static func boxes(in content: ArraySlice<UInt8>) -> [(name: String, content: ArraySlice<UInt8>)] {
    var (rest, found) = (content, [(name: String, content: ArraySlice<UInt8>)]())
    while let box = MovieBox(rest.prefix(maximumHead)), box.size <= UInt64(rest.count) {
      found.append((box.name, rest.prefix(Int(box.size)).dropFirst(box.headCount)))
      rest = rest.dropFirst(Int(box.size))
    }
    return found
  }

  /// The content of the first box with this name in the content of another one.
  static func first(_ name: String, in content: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    boxes(in: content).first { $0.name == name }?.content
  }
}

extension ArraySlice<UInt8> {
  /// The number that `count` bytes tell, the most significant first. The bytes beyond the end count as 0.
  ///
  /// - Parameter place: where the bytes begin, from the beginning of the slice.
  func number(at place: Int, count: Int) -> UInt64 {
    let bytes = dropFirst(place).prefix(count)
    return (0..<count).reduce(0) { number, index in
      number << 8 | (index < bytes.count ? UInt64(bytes[bytes.startIndex + index]) : 0)
    }
  }
}

extension Array<UInt8> {
  /// Adds a number of `count` bytes, the most significant first.
  mutating func append(_ number: UInt64, count: Int) {
    for place in (0..<count).reversed() { append(UInt8(truncatingIfNeeded: number >> (8 * UInt64(place)))) }
  }
}
