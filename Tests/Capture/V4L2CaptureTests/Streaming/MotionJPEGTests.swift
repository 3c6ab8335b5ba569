import CaptureCore
import Testing

@testable import V4L2Capture

/// How the daemon checks and completes the JPEG pictures of a camera.
@Suite struct MotionJPEGTests {
  private let soi: [UInt8] = [0xff, 0xd8]
  private let eoi: [UInt8] = [0xff, 0xd9]
  /// Entropy-coded data with a stuffed zero byte and a restart marker.
  private let scan: [UInt8] = [0xff, 0xda, 0, 4, 1, 2, 0x12, 0xff, 0x00, 0x34, 0xff, 0xd0, 0x56]
  private let quantization: [UInt8] = [0xff, 0xdb, 0, 5, 7, 8, 9]
  private static let size = Size(width: 640, height: 360)
  private let frame = frame(of: size)

  /// The header of a frame with one component.
  private static func frame(of size: Size, code: UInt8 = 0xc0) -> [UInt8] {
    let (width, height) = (size.width, size.height)
    return [
      0xff, code, 0, 11, 8, UInt8(height >> 8), UInt8(height & 0xff), UInt8(width >> 8), UInt8(width & 0xff), 1, 1,
      0x11, 0,
    ]
  }

  /// The picture that readers get for these bytes; nil when the picture is damaged.
  private func repaired(_ bytes: [UInt8]) -> [UInt8]? {
    bytes.withUnsafeBytes { source in
      guard let picture = MotionJPEG(source), picture.size == Self.size else { return nil }
      var result = [UInt8](repeating: 0xee, count: picture.byteCount)
      result.withUnsafeMutableBytes { picture.write(from: source, to: $0) }
      return result
    }
  }

  @Test func aCompletePictureStaysAsItIs() {
    let picture = soi + HuffmanTables.segment + quantization + frame + scan + eoi
    #expect(repaired(picture) == picture)
  }

  /// The header of a frame in three components, whose blocks are 16 pixels wide and high.
  private func colorFrame(_ width: Int, _ height: Int) -> [UInt8] {
    [
      0xff, 0xc0, 0, 17, 8, UInt8(height >> 8), UInt8(height & 0xff), UInt8(width >> 8), UInt8(width & 0xff), 3,
      1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1,
    ]
  }

  /// Blocks that the camera filled up are no part of the picture. With another number in the header they go away.
  @Test func aPictureThatOnlyFillsItsBlocksUpGetsTheSmallerSize() throws {
    let picture = soi + HuffmanTables.segment + colorFrame(1920, 1088) + scan + eoi
    let wanted = Size(width: 1920, height: 1080)
    let written = try picture.withUnsafeBytes { source in
      let parsed = try #require(MotionJPEG(source))
      #expect(parsed.size == Size(width: 1920, height: 1088) && parsed.fillsUp(wanted))
      for other in [(1920, 1089), (1921, 1080), (1904, 1080), (1920, 1072)] {
        #expect(!parsed.fillsUp(Size(width: other.0, height: other.1)))
      }
      var result = [UInt8](repeating: 0xee, count: parsed.byteCount)
      result.withUnsafeMutableBytes { parsed.write(from: source, to: $0, as: wanted) }
      return result
    }
    #expect(written == soi + HuffmanTables.segment + colorFrame(1920, 1080) + scan + eoi)
  }

  /// A picture without Huffman tables gets the standard tables before its first scan.
  @Test func theStandardTablesGoBeforeTheFirstScan() {
    #expect(
      repaired(soi + quantization + frame + scan + eoi)
        == soi + quantization + frame + HuffmanTables.segment + scan + eoi)
  }

  @Test func bytesAfterTheEndAreCutOff() {
    let picture = soi + HuffmanTables.segment + frame + scan + eoi
    #expect(repaired(picture + [0, 0, 0xff, 0xff]) == picture)
    // The buffer still has the rest of a longer, earlier picture. The end marker in that rest is not the end of this
    // picture.
    #expect(repaired(picture + [0x77, 0xff, 0xd9, 0]) == picture)
  }

  /// The markers of a thumbnail are inside of a segment and do not begin or end the picture.
  @Test func theMarkersOfAThumbnailAreIgnored() {
    let thumbnail: [UInt8] = [0xff, 0xe1, 0, 10, 0xff, 0xd8, 0xff, 0xda, 0xff, 0xd9, 0xff, 0xd9]
    let picture = soi + thumbnail + HuffmanTables.segment + frame + scan + eoi
    #expect(repaired(picture) == picture)
  }

  @Test func fillBytesBeforeAMarkerAreAllowed() {
    let picture = soi + [0xff] + HuffmanTables.segment + frame + scan + [0xff, 0xff] + eoi
    #expect(repaired(picture) == picture)
  }

  @Test func severalScansBelongToOnePicture() {
    let picture = soi + HuffmanTables.segment + frame + scan + HuffmanTables.segment + scan + eoi
    #expect(repaired(picture) == picture)
  }

  /// A picture without a beginning, a scan or an end, or with a segment of a wrong length, is damaged.
  @Test func damagedPicturesAreRefused() {
    let damaged: [[UInt8]] = [
      [], [0xff], soi, eoi + frame + scan + eoi, frame + scan + eoi,
      soi + frame + scan,  // no EOI
      soi + frame + quantization + eoi,  // no scan
      soi + frame + [0xff, 0xdb, 0, 1] + scan + eoi,  // a segment that is shorter than its length field
      soi + frame + [0xff, 0xdb, 0xff, 0xff] + scan + eoi,  // a segment that reaches beyond the end
      soi + frame + scan + soi + frame + scan + eoi,  // a picture that is cut off, and the next picture
      soi + frame + scan + [0xff],
      soi + frame + scan + [0xff, 0x42] + scan + eoi,  // neither a marker nor data
    ]
    for bytes in damaged { #expect(repaired(bytes) == nil, "\(bytes)") }
  }

  /// The size of the frames was fixed when the stream started, so a picture of another size counts as damaged.
  @Test func aPictureOfAnotherSizeIsRefused() {
    for size in [Size(width: 320, height: 180), Size(width: 640, height: 368), Size(width: 360, height: 640)] {
      #expect(repaired(soi + Self.frame(of: size) + scan + eoi) == nil, "\(size)")
    }
    // A height of 0 leaves the height open until the end of the scan. No camera does this.
    #expect(repaired(soi + Self.frame(of: Size(width: 640, height: 0)) + scan + eoi) == nil)
  }

  /// A picture has exactly one frame header, before its scan and with a length that fits its components. Progressive
  /// pictures are valid.
  @Test func theFrameHeaderComesOnceAndBeforeTheScan() {
    #expect(repaired(soi + scan + eoi) == nil)
    #expect(repaired(soi + scan + frame + eoi) == nil)
    #expect(repaired(soi + frame + frame + scan + eoi) == nil)
    // The markers of Huffman tables, of arithmetic coding and a reserved marker lie among the markers of frame headers.
    for code: UInt8 in [0xc4, 0xc8, 0xcc] {
      #expect(repaired(soi + Self.frame(of: Self.size, code: code) + scan + eoi) == nil, "\(code)")
    }
    let progressive = soi + HuffmanTables.segment + Self.frame(of: Self.size, code: 0xc2) + scan + eoi
    #expect(repaired(progressive) == progressive)
    // The length of the first header ends before the size of the picture. The second header is cut off.
    #expect(repaired(soi + [0xff, 0xc0, 0, 5, 8, 1, 104] + scan + eoi) == nil)
    #expect(repaired(soi + frame.prefix(8)) == nil)
    // The length of a header follows from its number of components. This header names three and has room for one.
    #expect(repaired(soi + frame.dropLast(4) + [3, 1, 0x11, 0] + scan + eoi) == nil)
  }

  /// Random parts are either refused or become a picture that begins and ends as a JPEG does.
  @Test func anyInputIsRefusedOrEndsAtEOI() {
    // A linear congruential generator gives the same inputs in every run.
    var state: UInt32 = 1
    func random(_ limit: UInt32) -> UInt32 {
      state = state &* 1_664_525 &+ 1_013_904_223
      return (state >> 16) % limit
    }
    var found = 0
    for _ in 0..<5000 {
      // The inputs contain whole parts beside noise with many markers. From noise alone, every input would be refused.
      let parts = (0..<random(6)).map { _ in
        let noise = (0..<random(20)).map { _ in random(2) == 0 ? UInt8(0xff) : UInt8(0xc0 + random(0x40)) }
        return [frame, scan, quantization, [0xff], eoi, noise][Int(random(6))]
      }
      guard let result = repaired(soi + parts.joined() + eoi) else { continue }
      found += 1
      #expect(result.starts(with: soi) && Array(result.suffix(2)) == eoi)
    }
    #expect((100...4900).contains(found), "both results occurred: \(found)")
  }

  /// The tables that the daemon adds are four Huffman tables in one segment, for DC and AC of luma and of chroma.
  @Test func theTablesArePrefixCodesOfTheStandard() {
    let segment = HuffmanTables.segment
    #expect(segment.count == 420)
    #expect(Array(segment.prefix(4)) == [0xff, 0xc4, 0x01, 0xa2])
    var position = 4
    var destinations: [UInt8] = []
    while position < segment.count {
      destinations.append(segment[position])
      let counts = segment[(position + 1)...(position + 16)]
      let total = counts.reduce(0) { $0 + Int($1) }
      let values = segment[(position + 17)..<(position + 17 + total)]
      #expect(Set(values).count == total)
      // A prefix code must leave the code of all ones free, as annex C of the JPEG standard demands.
      let space = zip(1..., counts).reduce(0) { $0 + Int($1.1) << (16 - $1.0) }
      #expect(space < 1 << 16)
      position += 17 + total
    }
    #expect(destinations == [0x00, 0x10, 0x01, 0x11])
  }
}
