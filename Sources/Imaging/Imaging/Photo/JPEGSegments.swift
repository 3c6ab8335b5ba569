/// The segments of a JPEG before its picture data (ITU-T T.81, annex B).
enum JPEGSegments {
  /// The marker of the first kind of application data, which JFIF uses.
  static let app0: UInt8 = 0xe0
  /// The marker of the second kind of application data, which EXIF uses.
  static let app1: UInt8 = 0xe1

  /// The ranges of bytes that remain of a JPEG when some segments are left out. The two bytes that begin every JPEG are
  /// not in the ranges.
  ///
  /// - Parameter isOut: A function that decides whether to leave a segment out, from the segment's marker and content.
  /// - Returns: The ranges in the order of the file; nil when the bytes are not a JPEG.
  static func ranges(
    of jpeg: UnsafeRawBufferPointer, leavingOut isOut: (UInt8, UnsafeRawBufferPointer) -> Bool
  ) -> [Range<Int>]? {
    guard jpeg.count > 4, jpeg[0] == 0xff, jpeg[1] == 0xd8 else { return nil }
    var ranges: [Range<Int>] = []
    var (start, place) = (2, 2)
    while place + 4 <= jpeg.count, jpeg[place] == 0xff {
      let marker = jpeg[place + 1]
      // At this marker the picture data begins, and no segment that matters follows.
      if marker == 0xda { break }
      // A marker may have any number of bytes 0xff before it.
      if marker == 0xff {
        place += 1
        continue
      }
      let end = place + 2 + (Int(jpeg[place + 2]) << 8 | Int(jpeg[place + 3]))
      guard end >= place + 4, end <= jpeg.count else { return nil }
      if isOut(marker, UnsafeRawBufferPointer(rebasing: jpeg[place + 4..<end])) {
        if start < place { ranges.append(start..<place) }
        start = end
      }
      place = end
    }
    ranges.append(start..<jpeg.count)
    return ranges
  }

  /// Whether a segment with this marker and content holds EXIF.
  static func isEXIF(_ marker: UInt8, _ content: UnsafeRawBufferPointer) -> Bool {
    marker == app1 && content.starts(with: [0x45, 0x78, 0x69, 0x66, 0, 0])
  }
}
