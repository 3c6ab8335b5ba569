public import CaptureCore

/// The size that the head of a JPEG tells (ITU-T T.81, B.2.2), without decoding the picture.
public enum JPEGSize {
  /// Reads the size. Nil when the bytes are not a whole JPEG with a frame of Huffman coding. Zeros may follow it, as
  /// cameras pad their pictures.
  public static func read(_ bytes: UnsafeRawBufferPointer) -> Size? {
    guard bytes.count > 4, bytes[0] == 0xff, bytes[1] == 0xd8 else { return nil }
    guard let last = bytes.lastIndex(where: { $0 != 0 }), bytes[last - 1] == 0xff, bytes[last] == 0xd9 else {
      return nil
    }
    var place = 2
    while place + 9 <= bytes.count, bytes[place] == 0xff {
      let marker = bytes[place + 1]
      if marker == 0xff {
        // Fill bytes may come before a marker.
        place += 1
        continue
      }
      // Baseline, extended and progressive frames.
      if (0xc0...0xc2).contains(marker) {
        func number(_ offset: Int) -> Int { Int(bytes[place + offset]) << 8 | Int(bytes[place + offset + 1]) }
        return Size(width: number(7), height: number(5))
      }
      if marker == 0xda { return nil }
      place += 2 + (Int(bytes[place + 2]) << 8 | Int(bytes[place + 3]))
    }
    return nil
  }
}
