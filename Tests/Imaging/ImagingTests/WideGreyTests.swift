import CaptureCore
import CaptureTestKit
import Testing

@testable import Imaging

/// Pictures of measured values, as of thermal cameras: how they become pictures for people, and that they stay as they
/// are everywhere else.
@Suite(.computing) struct WideGreyTests {
  static let formats: [PixelFormat] = [.y10, .y12, .y14, .y16, .y16BE]
  private static let size = Size(width: 160, height: 120)

  private let pool = FramePool(budget: 64 << 20)

  /// A picture of the values that `value` gives for columns and rows. Its lines are `padding` bytes apart, which are
  /// all ones: as values they would be the largest.
  private func measured(
    _ format: PixelFormat = .y16, _ size: Size = size, padding: Int = 0, range: FrameLayout.Range = .full,
    _ value: (Int, Int) -> Int
  ) -> Picture {
    var layout = FrameLayout.packed(format, size, range: range)!
    layout.planes[0].stride += padding
    let memory = pool.take(layout.byteCount)!
    _ = memory.bytes.initializeMemory(as: UInt8.self, repeating: 255)
    for y in 0..<size.height {
      for x in 0..<size.width {
        let sample = UInt16(value(x, y))
        memory.bytes.storeBytes(
          of: format.isBigEndian ? sample.bigEndian : sample.littleEndian,
          toByteOffset: y * layout.planes[0].stride + 2 * x, as: UInt16.self)
      }
    }
    return Picture(layout: layout, buffer: memory.freeze(count: layout.byteCount))
  }

  /// The bytes of the picture in grey of eight bits.
  private func grey(_ picture: Picture, range: FrameLayout.Range? = nil) throws -> [[Int]] {
    let result = try PictureConverter(pool: pool).convert(picture, to: .grey, range: range)
    #expect(result.layout == FrameLayout.packed(.grey, picture.layout.size, range: range ?? picture.layout.range))
    let width = result.layout.size.width
    return (0..<result.layout.size.height).map { y in result.bytes[y * width..<(y + 1) * width].map(Int.init) }
  }

  /// The values that a picture uses reach from black to white, in either order of bytes and whatever its padding.
  @Test(arguments: formats, [0, 6, 7])
  func theUsedValuesReachFromBlackToWhite(_ format: PixelFormat, _ padding: Int) throws {
    let picture = measured(format, padding: padding) { x, _ in 300 + 4 * x }
    let exact = (0..<160).map { Double($0) * 255 / 159 }
    for line in try grey(picture) {
      // The columns at the ends are more than a thousandth of the picture, so they count.
      #expect(zip(line, exact).allSatisfy { abs(Double($0) - $1) <= 0.51 })
    }
    let limited = try grey(picture, range: .limited)[7]
    #expect(zip(limited, exact).allSatisfy { abs(Double($0) - (16 + $1 * 219 / 255)) <= 1 })
  }

  /// The whole range of 16 bits is shown, too.
  @Test func allValuesAreShown() throws {
    let line = try grey(measured { x, _ in x * 65535 / 159 })[0]
    #expect(line.first == 0 && line.last == 255 && line == line.sorted())
  }

  /// Pixels that are dead or hot, up to a thousandth of all, are cut off. Twice as many are part of the picture.
  @Test func someDeadPixelsDoNotCount() throws {
    let ends = [(0, 0), (80, 60), (159, 119)]
    let few = try grey(
      measured { x, y in ends.contains { $0 == (x, y) } ? 65535 : x == 7 && y % 10 == 0 ? 0 : 7000 + 4 * x })
    #expect(few[5][0] == 0 && few[5][159] == 255)
    #expect(few[60][80] == 255 && few[10][7] == 0)
    let many = try grey(measured { x, y in x == 80 && y < 40 ? 65535 : 7000 + 4 * x })
    #expect(many[0][80] == 255 && many[100][159] < 5)
  }

  /// A uniform picture is middle grey, and its noise stays noise: a step of the sensor is at most four of grey. At the
  /// ends of what the format has it is black or white.
  @Test func noiseIsNotStretched() throws {
    let noisy = try grey(measured { x, y in 7000 + (x * 7 + y * 13) % 5 })
    #expect(noisy.joined().allSatisfy { abs($0 - 128) <= 10 })
    for (format, value, shown) in [(PixelFormat.y16, 0, 0), (.y16, 65535, 255), (.y10, 1023, 255), (.y12, 4095, 255)] {
      #expect(try grey(measured(format) { _, _ in value }).joined().allSatisfy { $0 == shown }, "\(format) \(value)")
    }
    // Bits above those that count do not lead to a value outside of the samples.
    #expect(try grey(measured(.y10) { _, _ in 65535 }).joined().allSatisfy { $0 == 255 })
  }

  /// Pictures of a few pixels, and of one line that is longer than the number of samples that are counted, are shown.
  @Test(arguments: [
    Size(width: 1, height: 1), Size(width: 2, height: 1), Size(width: 3, height: 5), Size(width: 32_768, height: 9),
    Size(width: 1, height: 32_768),
  ])
  func anySizeIsShown(_ size: Size) throws {
    let picture = measured(.y16, size) { x, y in (x + y) % 2 == 0 ? 1000 : 2000 }
    let shown = try grey(picture)
    #expect(shown[0][0] == (size.pixelCount == 1 ? 128 : 0))
    #expect(shown.joined().allSatisfy { [0, 128, 255].contains($0) })
  }

  /// Each format that is made of the values is grey and has the same brightness.
  @Test(arguments: PixelFormat.uncompressed)
  func everyFormatIsMadeOfThem(_ to: PixelFormat) throws {
    #expect(PictureConverter.canConvert(.y16, to: to) && !PictureConverter.canConvert(to, to: .y16))
    let picture = measured { x, _ in 7000 + 4 * x }
    let result = try PictureConverter(pool: pool).convert(picture, to: to)
    result.withPixels { pixel in
      for x in stride(from: 1, to: 159, by: 13) {
        let level = Double(x) * 255 / 159
        #expect(pixel(x, 40).distance(to: RGB(level, level, level)) <= 4)
      }
    }
    let half = try PictureConverter(pool: pool).convert(picture, to: to, size: Size(width: 80, height: 60))
    #expect(abs(YCC(half.mean).y - YCC(result.mean).y) <= 1)
  }

  /// JPEG is compressed in strips, but all strips have the same black and white.
  @Test func jpegShowsTheWholePicturesRange() throws {
    let picture = measured(padding: 32) { _, y in 7000 + 5 * y }
    let jpeg = try JPEGEncoder(pool: pool).encode(picture, quality: 95)
    let shown = try grey(jpeg)
    for y in 0..<120 { #expect(abs(Double(shown[y][80]) - Double(y) * 255 / 119) <= 3) }
  }

  /// A part of an NV12 picture, as compositions are made of, has the range that the whole has.
  @Test func compositionsShowThem() throws {
    let layout = FrameLayout.packed(.nv12, Self.size)!
    let memory = pool.take(layout.byteCount)!
    try PictureWriter().write(
      measured { x, _ in 7000 + 4 * x }, into: layout,
      memory.bytes.baseAddress!.assumingMemoryBound(to: UInt8.self))
    let result = Picture(layout: layout, buffer: memory.freeze(count: layout.byteCount))
    #expect(abs(Int(result.bytes[0]) - 16) <= 1 && abs(Int(result.bytes[159]) - 235) <= 1)
    #expect(result.bytes.suffix(80 * 60 * 2).allSatisfy { $0 == 128 })
  }

  /// A turned picture has the same values at other places, also where lines begin at odd bytes.
  @Test(arguments: formats, OrientationTests.orientations)
  func turningKeepsTheValues(_ format: PixelFormat, _ orientation: Orientation) throws {
    let size = Size(width: 45, height: 27)
    let picture = measured(format, size, padding: format == .y12 ? 11 : 10) { x, y in 20 * x + y }
    let expected = measured(format, orientation.turned(size)) { x, y in
      let (fromX, fromY) = OrientationTests.origin(x, y, orientation, of: size)
      return 20 * fromX + fromY
    }
    let converter = PictureConverter(pool: pool)
    let photo = try UncompressedPhoto(pool: pool).make(picture, orientation: orientation)
    #expect(photo.layout == expected.layout && photo.bytes == expected.bytes)
    if orientation != .asCaptured {
      #expect(try converter.convert(picture, to: format, orientation: orientation).bytes == expected.bytes)
    }
    #expect(
      reason { try converter.convert(picture, to: format, size: Size(width: 9, height: 9)) } == .formatNotSupported)
  }

  /// A photo that was merged has eight bits, and does not look like measured values.
  @Test func aMergedPhotoStaysGrey() throws {
    let merged = draw(.grey, Size(width: 256, height: 48), pool: pool)
    let photo = try UncompressedPhoto(pool: pool).make(merged, as: .y16, orientation: .asCaptured)
    #expect(photo.layout.pixelFormat == .grey && photo.bytes == merged.bytes)
  }

  /// PNG is grey with eight bits.
  @Test func pngIsGrey() throws {
    let picture = measured { x, _ in 7000 + 4 * x }
    let photo = try PNGEncoder(pool: pool).encode(picture, orientation: .asCaptured, exif: EXIF(time: 0))
    #expect(photo.bytes[24] == 8 && photo.bytes[25] == 0)
  }

  /// The brightness is that of the values in the range of the format, so that an exposure that settles can be seen.
  @Test(arguments: formats)
  func brightnessIsMeasured(_ format: PixelFormat) throws {
    let unit = 1 << (format.wideGreyBits! - 8)
    let picture = measured(format, padding: 6) { x, _ in (x < 80 ? 40 : 160) * unit + x % unit }
    #expect(abs(try #require(MeanLuma.measure(picture)) - 100) < 1.5)
  }
}
