import CaptureCore
import CaptureTestKit
import Testing

@testable import Imaging

/// PNG photos, read chunk by chunk.
@Suite(.computing) struct PNGEncoderTests {
  let pool = FramePool(budget: 64 << 20)

  /// The chunks tell the turned size, the colour type of grey or RGB, the colour space and EXIF.
  @Test(arguments: [(PixelFormat.yuyv, UInt8(2)), (.rgb24, 2), (.grey, 0)])
  func aPhotoHasSizeColoursAndEXIF(_ format: PixelFormat, _ colorType: UInt8) throws {
    let picture = draw(format, Size(width: 64, height: 48), padding: 10, pool: pool)
    let photo = try PNGEncoder(pool: pool).encode(
      picture, orientation: Orientation(rotation: .quarter), exif: EXIF(time: 0))
    #expect(photo.layout == FrameLayout(pixelFormat: .png, size: Size(width: 48, height: 64), planes: [], range: .full))
    #expect(photo.bytes.prefix(8) == [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
    let chunks = try chunks(photo.bytes)
    #expect(chunks.first?.name == "IHDR" && chunks.last?.name == "IEND")
    #expect(chunks[0].bytes == [0, 0, 0, 48, 0, 0, 0, 64, 8, colorType, 0, 0, 0])
    #expect(chunks.first { $0.name == "sRGB" }?.bytes == [0])
    #expect(chunks.contains { $0.name == "gAMA" })
    #expect(chunks.first { $0.name == "eXIf" }?.bytes.prefix(4) == [0x49, 0x49, 42, 0])
  }

  /// The names and contents of the chunks of a PNG file, in order.
  private func chunks(_ bytes: [UInt8]) throws -> [(name: String, bytes: [UInt8])] {
    var found: [(String, [UInt8])] = []
    var place = 8
    while place < bytes.count {
      try #require(place + 12 <= bytes.count)
      let length = bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
      let content = place + 8..<place + 8 + length
      found.append((String(decoding: bytes[place + 4..<place + 8], as: UTF8.self), Array(bytes[content])))
      place = content.upperBound + 4
    }
    return found
  }
}
