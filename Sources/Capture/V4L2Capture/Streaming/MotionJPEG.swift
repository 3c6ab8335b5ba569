internal import CaptureCore
internal import Glibc

/// One Motion JPEG picture in a camera's buffer, and what the picture lacks to be a complete JPEG file.
///
/// Cameras leave out the Huffman tables and add padding after the end of the picture. A picture from an aborted
/// transfer has no end.
struct MotionJPEG: Hashable {
  /// The number of bytes up to and including EOI. Bytes after EOI are padding, or left over from an older picture.
  let pictureLength: Int
  /// The offset in bytes at which the standard Huffman tables must be inserted; nil when the picture has its own
  /// tables.
  let tableOffset: Int?
  /// The size that the frame header gives.
  let size: Size
  /// The size of the blocks that the entropy-coded data consist of, in pixels (T.81, A.2).
  private let block: Size
  /// The offset of the frame header's marker.
  private let headerOffset: Int

  /// The number of bytes of the complete picture.
  var byteCount: Int { pictureLength + (tableOffset == nil ? 0 : HuffmanTables.segment.count) }

  /// Finds the picture at the start of `bytes`. The initializer walks the markers (ITU-T T.81, annex B), so that
  /// thumbnails in application segments and old bytes after EOI do not mislead the search. The markers do not tell
  /// whether the entropy-coded data can be decoded. Only decoding does, and a capture thread has no time for that.
  ///
  /// - Returns: nil when the picture is damaged: SOI, the frame header, a scan or EOI is missing, or a marker appears
  ///   that cannot be there.
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count > 4, bytes[0] == 0xff, bytes[1] == 0xd8 else { return nil }
    var position = 2
    var header: (offset: Int, size: Size, block: Size)?
    var firstScan: Int?
    var hasTable = false
    while let marker = Self.nextMarker(in: bytes, from: position) {
      switch bytes[marker + 1] {
      case 0xd9:
        guard let firstScan, let header else { return nil }
        (headerOffset, size, block) = header
        pictureLength = marker + 2
        tableOffset = hasTable ? nil : firstScan
        return
      case 0x01, 0xd0...0xd7:
        // These markers have no length field.
        position = marker + 2
      case 0xd8:
        // A second SOI means that another picture begins before this one ended.
        return nil
      case 0x02...0xbf:
        // These markers are reserved. One of them appears when part of the entropy-coded data is missing, or when the
        // bytes are no such data at all.
        return nil
      case let code:
        guard marker + 4 <= bytes.count else { return nil }
        let length = Int(bytes[marker + 2]) << 8 | Int(bytes[marker + 3])
        guard length >= 2 else { return nil }
        switch code {
        case 0xc4: if firstScan == nil { hasTable = true }
        case 0xc0...0xcf where code != 0xc8 && code != 0xcc:
          guard header == nil, marker + 10 <= bytes.count, length == 8 + 3 * Int(bytes[marker + 9]),
            marker + 2 + length <= bytes.count
          else { return nil }
          let height = Int(bytes[marker + 5]) << 8 | Int(bytes[marker + 6])
          let width = Int(bytes[marker + 7]) << 8 | Int(bytes[marker + 8])
          header = (marker, Size(width: width, height: height), Self.block(of: bytes, frameHeader: marker))
        case 0xda:
          guard header != nil else { return nil }
          if firstScan == nil { firstScan = marker }
        default: break
        }
        position = marker + 2 + length
      }
    }
    return nil
  }

  /// The size of a block: 8 pixels, times the most samples that a component has in one.
  private static func block(of bytes: UnsafeRawBufferPointer, frameHeader marker: Int) -> Size {
    let count = Int(bytes[marker + 9])
    // A picture of one component has blocks of 8 pixels whatever its header says.
    guard count > 1 else { return Size(width: 8, height: 8) }
    var most = (horizontal: UInt8(1), vertical: UInt8(1))
    for index in 0..<count {
      let factors = bytes[marker + 11 + 3 * index]
      most = (max(most.horizontal, factors >> 4), max(most.vertical, factors & 15))
    }
    return Size(width: 8 * Int(most.horizontal), height: 8 * Int(most.vertical))
  }

  /// Whether the picture shows at least `smaller`, and has no more blocks than a picture of this size. What is more is
  /// then the rest of the last blocks, and the header of the smaller size makes it a picture of the smaller size.
  func fillsUp(_ smaller: Size) -> Bool {
    func blocks(_ length: Int, _ block: Int) -> Int { (length + block - 1) / block }
    return size.width >= smaller.width && size.height >= smaller.height
      && blocks(size.width, block.width) == blocks(smaller.width, block.width)
      && blocks(size.height, block.height) == blocks(smaller.height, block.height)
  }

  /// Writes the complete picture to `destination`, which must have room for ``byteCount`` bytes.
  ///
  /// - Parameter size: the size for the header of the picture, which fills it up. Nil for its own.
  func write(
    from source: UnsafeRawBufferPointer, to destination: UnsafeMutableRawBufferPointer, as size: Size? = nil
  ) {
    let head = tableOffset ?? pictureLength
    destination.copyMemory(from: UnsafeRawBufferPointer(rebasing: source[..<head]))
    if let size, size != self.size {
      for (place, length) in [(headerOffset + 5, size.height), (headerOffset + 7, size.width)] {
        destination.storeBytes(of: UInt16(length).bigEndian, toByteOffset: place, as: UInt16.self)
      }
    }
    guard tableOffset != nil else { return }
    let table = HuffmanTables.segment
    UnsafeMutableRawBufferPointer(rebasing: destination[head...]).copyBytes(from: table)
    UnsafeMutableRawBufferPointer(rebasing: destination[(head + table.count)...])
      .copyMemory(from: UnsafeRawBufferPointer(rebasing: source[head..<pictureLength]))
  }

  /// The offset of the next marker at or after `start`; nil when there is none. A 0xff before a stuffed zero belongs to
  /// entropy-coded data, and a 0xff before another 0xff is a fill byte; neither starts a marker.
  private static func nextMarker(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
    var position = start
    while position + 1 < bytes.count {
      // memchr is fast, and nearly all of a picture is entropy-coded data without a marker.
      guard let found = memchr(bytes.baseAddress! + position, 0xff, bytes.count - position) else { return nil }
      position = UnsafeRawPointer(found) - bytes.baseAddress!
      guard position + 1 < bytes.count else { return nil }
      switch bytes[position + 1] {
      case 0x00: position += 2
      case 0xff: position += 1
      default: return position
      }
    }
    return nil
  }
}

/// The "typical" Huffman tables of ITU-T T.81, K.3.3. Motion JPEG implies these tables, and cameras leave them out.
enum HuffmanTables {
  /// One DHT segment with the four tables, including its marker.
  static let segment: [UInt8] = {
    let tables = [
      table(0x00, dcLuminanceCounts, Array(0...11)), table(0x10, acLuminanceCounts, acLuminanceValues),
      table(0x01, dcChrominanceCounts, Array(0...11)), table(0x11, acChrominanceCounts, acChrominanceValues),
    ].flatMap { $0 }
    let length = tables.count + 2
    return [0xff, 0xc4, UInt8(length >> 8), UInt8(length & 0xff)] + tables
  }()

  /// One table of the segment.
  ///
  /// - Parameter destination: the class (0 DC, 1 AC) in the high four bits and the table number in the low four bits,
  ///   as in ITU-T T.81, B.2.4.2.
  private static func table(_ destination: UInt8, _ counts: [UInt8], _ values: [UInt8]) -> [UInt8] {
    [destination] + counts + values
  }

  // The number of codes of each length, 1 to 16 bits, as in tables K.3 to K.6 of ITU-T T.81.
  private static let dcLuminanceCounts: [UInt8] = [0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0]
  private static let dcChrominanceCounts: [UInt8] = [0, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0]
  private static let acLuminanceCounts: [UInt8] = [0, 2, 1, 3, 3, 2, 4, 3, 5, 5, 4, 4, 0, 0, 1, 0x7d]
  private static let acChrominanceCounts: [UInt8] = [0, 2, 1, 2, 4, 4, 3, 4, 7, 5, 4, 4, 0, 1, 2, 0x77]

  // The run and the size that each code stands for, shortest code first.
  private static let acLuminanceValues: [UInt8] = [
    0x01, 0x02, 0x03, 0x00, 0x04, 0x11, 0x05, 0x12, 0x21, 0x31, 0x41, 0x06, 0x13, 0x51, 0x61, 0x07,
    0x22, 0x71, 0x14, 0x32, 0x81, 0x91, 0xa1, 0x08, 0x23, 0x42, 0xb1, 0xc1, 0x15, 0x52, 0xd1, 0xf0,
    0x24, 0x33, 0x62, 0x72, 0x82, 0x09, 0x0a, 0x16, 0x17, 0x18, 0x19, 0x1a, 0x25, 0x26, 0x27, 0x28,
    0x29, 0x2a, 0x34, 0x35, 0x36, 0x37, 0x38, 0x39, 0x3a, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x49,
    0x4a, 0x53, 0x54, 0x55, 0x56, 0x57, 0x58, 0x59, 0x5a, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69,
    0x6a, 0x73, 0x74, 0x75, 0x76, 0x77, 0x78, 0x79, 0x7a, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x89,
    0x8a, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97, 0x98, 0x99, 0x9a, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7,
    0xa8, 0xa9, 0xaa, 0xb2, 0xb3, 0xb4, 0xb5, 0xb6, 0xb7, 0xb8, 0xb9, 0xba, 0xc2, 0xc3, 0xc4, 0xc5,
    0xc6, 0xc7, 0xc8, 0xc9, 0xca, 0xd2, 0xd3, 0xd4, 0xd5, 0xd6, 0xd7, 0xd8, 0xd9, 0xda, 0xe1, 0xe2,
    0xe3, 0xe4, 0xe5, 0xe6, 0xe7, 0xe8, 0xe9, 0xea, 0xf1, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0xf7, 0xf8,
    0xf9, 0xfa,
  ]
  private static let acChrominanceValues: [UInt8] = [
    0x00, 0x01, 0x02, 0x03, 0x11, 0x04, 0x05, 0x21, 0x31, 0x06, 0x12, 0x41, 0x51, 0x07, 0x61, 0x71,
    0x13, 0x22, 0x32, 0x81, 0x08, 0x14, 0x42, 0x91, 0xa1, 0xb1, 0xc1, 0x09, 0x23, 0x33, 0x52, 0xf0,
    0x15, 0x62, 0x72, 0xd1, 0x0a, 0x16, 0x24, 0x34, 0xe1, 0x25, 0xf1, 0x17, 0x18, 0x19, 0x1a, 0x26,
    0x27, 0x28, 0x29, 0x2a, 0x35, 0x36, 0x37, 0x38, 0x39, 0x3a, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48,
    0x49, 0x4a, 0x53, 0x54, 0x55, 0x56, 0x57, 0x58, 0x59, 0x5a, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68,
    0x69, 0x6a, 0x73, 0x74, 0x75, 0x76, 0x77, 0x78, 0x79, 0x7a, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87,
    0x88, 0x89, 0x8a, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97, 0x98, 0x99, 0x9a, 0xa2, 0xa3, 0xa4, 0xa5,
    0xa6, 0xa7, 0xa8, 0xa9, 0xaa, 0xb2, 0xb3, 0xb4, 0xb5, 0xb6, 0xb7, 0xb8, 0xb9, 0xba, 0xc2, 0xc3,
    0xc4, 0xc5, 0xc6, 0xc7, 0xc8, 0xc9, 0xca, 0xd2, 0xd3, 0xd4, 0xd5, 0xd6, 0xd7, 0xd8, 0xd9, 0xda,
    0xe2, 0xe3, 0xe4, 0xe5, 0xe6, 0xe7, 0xe8, 0xe9, 0xea, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0xf7, 0xf8,
    0xf9, 0xfa,
  ]
}

/// Finds out which size the compressed pictures of a stream have. One value for each stream.
///
/// Some cameras send another size than their driver confirms, in every picture. Such pictures are whole. A single
/// picture of another size among others is damaged: a transfer that broke off may leave any bytes in a header. Some
/// cameras begin a stream with pictures of the size that they had before, so that the confirmed size always counts.
struct PictureSize {
  /// How many pictures in a row must have the same other size, before any picture of the confirmed size came.
  private static let proof = 5
  /// How many times as many pixels as the confirmed size another one may have. Readers take memory for all of them.
  private static let most = 4

  /// The size that the driver confirmed.
  let told: Size
  /// The size that whole pictures have.
  private(set) var expected: Size
  private var isConfirmed = false
  private var other: (size: Size, count: Int)?

  init(told: Size) {
    self.told = told
    expected = told
  }

  /// Whether a picture whose header has this size is whole.
  mutating func accepts(_ found: Size) -> Bool {
    if found == told {
      isConfirmed = true
      expected = told
      return true
    }
    guard !isConfirmed, found.width > 0, found.height > 0, found.pixelCount <= Self.most * told.pixelCount else {
      return false
    }
    let count = other.map { $0.size == found ? $0.count + 1 : 1 } ?? 1
    other = (found, count)
    if count >= Self.proof { expected = found }
    return found == expected
  }
}
