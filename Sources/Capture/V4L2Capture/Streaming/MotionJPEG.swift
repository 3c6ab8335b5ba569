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
