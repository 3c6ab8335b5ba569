/// The segments of a JPEG before its picture (ITU-T T.81, annex B).
enum JPEGSegments {
  /// Application data; EXIF is in 1.
  static let app0: UInt8 = 0xe0
  static let app1: UInt8 = 0xe1

  /// What stays of a JPEG, after the two bytes it begins with, when some segments are left out.
  ///
  /// - Parameter isOut: is given each segment's marker and what it holds.
  /// - Returns: nil when these bytes are no JPEG.
  static func ranges(
    of jpeg: UnsafeRawBufferPointer, leavingOut isOut: (UInt8, UnsafeRawBufferPointer) -> Bool
  ) -> [Range<Int>]? {
    guard jpeg.count > 4, jpeg[0] == 0xff, jpeg[1] == 0xd8 else { return nil }
    var ranges: [Range<Int>] = []
    var (start, place) = (2, 2)
    while place + 4 <= jpeg.count, jpeg[place] == 0xff {
      let marker = jpeg[place + 1]
      // The picture's data begins: no more segments that matter.
      if marker == 0xda { break }
      // Any number of these may stand before a marker.
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

  static func isEXIF(_ marker: UInt8, _ content: UnsafeRawBufferPointer) -> Bool {
    marker == app1 && content.starts(with: [0x45, 0x78, 0x69, 0x66, 0, 0])
  }
}
