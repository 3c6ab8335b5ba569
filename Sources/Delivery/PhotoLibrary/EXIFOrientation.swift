internal import CaptureCore

/// Reads how a JPEG file says that its picture is to be turned (Exif 2.32, 4.6.4: the tag Orientation).
enum EXIFOrientation {
  private static let tag = 0x0112
  /// How the picture is turned for each value of the tag, from 1 on. It is first rotated clockwise, then mirrored.
  private static let meanings = [
    Orientation(), Orientation(isMirrored: true), Orientation(rotation: .half),
    Orientation(rotation: .half, isMirrored: true), Orientation(rotation: .quarter, isMirrored: true),
    Orientation(rotation: .quarter), Orientation(rotation: .threeQuarters, isMirrored: true),
    Orientation(rotation: .threeQuarters),
  ]

  /// How the picture is to be turned. A file that does not say so, or that says nonsense, shows it as it is.
  static func read(_ file: UnsafeRawBufferPointer) -> Orientation {
    var place = 2
    // Each segment begins with its marker and its size. Those before the first scan are looked at.
    while let marker = number(at: place, count: 2, in: file), marker >> 8 == 0xff, marker != 0xffda,
      let size = number(at: place + 2, count: 2, in: file), size >= 2, place + 2 + size <= file.count
    {
      let content = UnsafeRawBufferPointer(rebasing: file[(place + 4)..<(place + 2 + size)])
      if marker == 0xffe1, content.starts(with: Array("Exif".utf8) + [0, 0]) {
        return orientation(in: UnsafeRawBufferPointer(rebasing: content.dropFirst(6)))
      }
      place += 2 + size
    }
    return .asCaptured
  }

  /// Looks into the first directory of a TIFF block.
  private static func orientation(in block: UnsafeRawBufferPointer) -> Orientation {
    let isLittle = block.starts(with: [0x49, 0x49, 42, 0])
    guard isLittle || block.starts(with: [0x4d, 0x4d, 0, 42]) else { return .asCaptured }
    func value(_ offset: Int, _ count: Int) -> Int? { number(at: offset, count: count, in: block, isLittle: isLittle) }
    guard let directory = value(4, 4), let count = value(directory, 2) else { return .asCaptured }
    for entry in 0..<count where value(directory + 2 + 12 * entry, 2) == tag {
      guard let value = value(directory + 2 + 12 * entry + 8, 2), meanings.indices.contains(value - 1) else { break }
      return meanings[value - 1]
    }
    return .asCaptured
  }

  /// The number that `count` bytes tell. Nil where the bytes end before.
  private static func number(
    at offset: Int, count: Int, in bytes: UnsafeRawBufferPointer, isLittle: Bool = false
  ) -> Int? {
    guard offset >= 0, offset <= bytes.count - count else { return nil }
    let digits = bytes[offset..<offset + count]
    return isLittle ? digits.reversed().reduce(0) { $0 << 8 | Int($1) } : digits.reduce(0) { $0 << 8 | Int($1) }
  }
}
