import CaptureCore
import CaptureTestKit
import Imaging
import Testing

/// The encoder for JPEG, with every uncompressed format, size and quality.
@Suite(.computing) struct JPEGEncoderTests {
  let pool = FramePool(budget: 64 << 20)

  /// A pixel format, with a range and a matrix where the format has them.
  struct Source: CustomTestStringConvertible {
    var format: PixelFormat
    var range: FrameLayout.Range = .limited
    var matrix: FrameLayout.Matrix = .bt601
    var testDescription: String { "\(format) \(range) \(matrix)" }
    static let all: [Source] = PixelFormat.uncompressed.flatMap { format in
      format.isRGB
        ? [Source(format: format)]
        : [FrameLayout.Range.limited, .full].flatMap { range in
          (format == .grey ? [FrameLayout.Matrix.bt601] : [.bt601, .bt709]).map {
            Source(format: format, range: range, matrix: $0)
          }
        }
    }
  }

  /// The sizes have whole blocks, and odd sides with cut blocks. JPEG itself costs no precision here, because each bar
  /// fills its blocks.
  @Test(arguments: Source.all, [Size(width: 256, height: 48), Size(width: 243, height: 37)])
  func colorBarsSurviveInEveryFormat(_ source: Source, _ size: Size) throws {
    for padding in [0, 26] {
      let picture = draw(
        source.format, size, padding: padding, range: source.range, matrix: source.matrix, pool: pool)
      let jpeg = try JPEGEncoder(pool: pool).encode(picture, quality: 95)
      #expect(jpeg.layout == FrameLayout(pixelFormat: .jpeg, size: size, planes: [], range: .full, matrix: .bt601))
      let decoded = try JPEGDecoder(pool: pool).decode(jpeg)
      #expect(decoded.layout.size == size)
      #expect(decoded.errorAgainstBars(lumaOnly: source.format == .grey) <= 2)
    }
  }

  /// Every luma value fills a block of its own. The stretch from limited to full range is exact except for rounding.
  @Test func limitedRangeIsStretchedToFull() throws {
    let size = Size(width: 16, height: 256 * 16)
    let layout = FrameLayout.packed(.grey, size)!
    let memory = pool.take(layout.byteCount)!
    for index in 0..<layout.byteCount { memory.bytes[index] = UInt8(index / 256) }
    let picture = Picture(layout: layout, buffer: memory.freeze(count: layout.byteCount))
    let jpeg = try JPEGEncoder(pool: pool).encode(picture, quality: 100)
    let decoded = try JPEGDecoder(pool: pool).decode(jpeg, to: .grey).bytes
    for value in 0..<256 {
      let expected = max(0, min(255, Double(value - 16) * 255 / 219))
      #expect(abs(Double(decoded[value * 256 + 120]) - expected) <= 1)
    }
  }

  @Test(arguments: [1, 2, 7, 15, 17, 33], [1, 2, 8, 15, 31])
  func oddSizesKeepTheirColor(_ width: Int, _ height: Int) throws {
    for format in PixelFormat.uncompressed {
      let size = Size(width: width, height: height)
      let picture = draw(format, size, padding: 5, pool: pool) { _, _ in RGB(60, 120, 200) }
      let jpeg = try JPEGEncoder(pool: pool).encode(picture, quality: 95)
      let decoded = try JPEGDecoder(pool: pool).decode(jpeg)
      #expect(decoded.layout.size == size)
      decoded.withPixels { pixel in
        for y in 0..<height {
          for x in 0..<width {
            let (found, expected) = (YCC(pixel(x, y)), YCC(RGB(60, 120, 200)))
            #expect((format == .grey ? abs(found.y - expected.y) : found.distance(to: expected)) <= 2)
          }
        }
      }
    }
  }

  /// A scaled picture is as bright and has the same colours on average as the whole picture.
  @Test(arguments: PixelFormat.uncompressed + [.jpeg, .mjpeg])
  func scalingKeepsTheMean(_ format: PixelFormat) throws {
    let encoder = JPEGEncoder(pool: pool)
    let full = Size(width: 322, height: 178)
    var picture = draw(format.isCompressed ? .nv12 : format, full, pool: pool, waves(full))
    if format.isCompressed {
      picture = try encoder.encode(picture, quality: 95)
      picture.layout.pixelFormat = format
    }
    let whole = try JPEGDecoder(pool: pool).decode(encoder.encode(picture, quality: 95)).mean
    for size in [Size(width: 160, height: 90), Size(width: 75, height: 41), Size(width: 401, height: 225)] {
      let jpeg = try encoder.encode(picture, quality: 95, size: size)
      let scaled = try JPEGDecoder(pool: pool).decode(jpeg)
      #expect(scaled.layout.size == size)
      #expect(YCC(scaled.mean).distance(to: YCC(whole)) <= 1, "\(size)")
    }
  }

  /// Every program can read JFIF with 4:2:0, and grey needs no chroma.
  @Test func picturesAreJFIFWith420OrOneComponentForGrey() throws {
    let size = Size(width: 64, height: 32)
    for (format, components) in [
      (PixelFormat.nv12, [UInt8]([1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1])), (.grey, [1, 0x11, 0]),
    ] {
      let bytes = try JPEGEncoder(pool: pool).encode(draw(format, size, pool: pool), quality: 80).bytes
      #expect(bytes.starts(with: [0xFF, 0xD8, 0xFF, 0xE0, 0, 16] + Array("JFIF".utf8)))
      #expect(bytes.suffix(2) == [0xFF, 0xD9])
      let header = try #require(bytes.indices.first { bytes[$0...].starts(with: [0xFF, 0xC0]) })
      #expect(bytes[(header + 5)...].starts(with: [0, 32, 0, 64, UInt8(components.count / 3)] + components))
    }
  }

  /// A quality outside of 1 to 100 is refused, and more quality takes more bytes.
  @Test func qualityIsBoundedAndTakesBytes() throws {
    let picture = draw(.nv12, Size(width: 256, height: 64), pool: pool, noise)
    let encoder = JPEGEncoder(pool: pool)
    for quality in [Int.min, -1, 0, 101, Int.max] {
      #expect(reason { try encoder.encode(picture, quality: quality) } == .invalidArgument)
    }
    let counts = try [1, 50, 80, 100].map { try encoder.encode(picture, quality: $0).buffer.count }
    #expect(counts == counts.sorted() && Set(counts).count == counts.count)
  }

  /// Noise at quality 100 takes more memory than the encoder first guesses, so the encoder starts again with more
  /// memory.
  @Test func theMemoryGrowsWhenThePictureDoesNotFit() throws {
    let size = Size(width: 640, height: 480)
    let picture = draw(.yuv420, size, range: .full, pool: pool, noise)
    let encoder = JPEGEncoder(pool: pool)
    let jpeg = try encoder.encode(picture, quality: 100)
    #expect(jpeg.buffer.count > size.pixelCount)
    let decoded = try JPEGDecoder(pool: pool).decode(jpeg)
    #expect(YCC(decoded.mean).distance(to: YCC(picture.mean)) <= 1)
    #expect(try encoder.encode(picture, quality: 100).bytes == jpeg.bytes)
  }

  /// The encoder fails with `outOfBuffers`, and encodes a picture that needs less afterwards.
  @Test func aUsedUpPoolIsReported() throws {
    let size = Size(width: 640, height: 480)
    let picture = draw(.yuv420, size, range: .full, pool: pool, noise)
    // The second pool has room for the first guess, but not for the whole picture.
    for budget in [0, 400_000] {
      let small = FramePool(budget: budget)
      let encoder = JPEGEncoder(pool: small)
      #expect(reason { try encoder.encode(picture, quality: 100) } == .outOfBuffers)
      #expect(small.usage.refused > 0)
      if budget > 0 { #expect(try encoder.encode(picture, quality: 1).buffer.count > 0) }
    }
  }

  /// A layout that reaches outside of the picture's memory must not make the encoder read there. The encoder is usable
  /// afterwards.
  @Test func layoutsOutsideOfTheMemoryAreRefused() throws {
    let good = draw(.nv12, Size(width: 64, height: 32), pool: pool)
    let encoder = JPEGEncoder(pool: pool)
    let breaks: [(inout FrameLayout) -> Void] = [
      { $0.size = Size(width: 0, height: 32) }, { $0.size = Size(width: 64, height: 0) },
      { $0.size = Size(width: -64, height: 32) }, { $0.size = Size(width: 65, height: 32) },
      { $0.size = Size(width: 64, height: 34) }, { $0.size = Size(width: Int.max, height: Int.max) },
      { $0.planes = [] }, { $0.planes.removeLast() }, { $0.planes[0].stride = 63 }, { $0.planes[0].stride = 0 },
      { $0.planes[0].stride = Int.max }, { $0.planes[0].stride = -64 }, { $0.planes[1].rows = 15 },
      { $0.planes[1].offset += 1 }, { $0.planes[1].offset = -1 }, { $0.planes[1].offset = Int.max },
      { $0.pixelFormat = .xbgr32 },
    ]
    for damage in breaks {
      var picture = good
      damage(&picture.layout)
      #expect(reason { try encoder.encode(picture, quality: 80) } == .processingFailed, "\(picture.layout)")
    }
    var unknown = good
    unknown.layout.pixelFormat = PixelFormat(fourCC: "BA81")!
    #expect(reason { try encoder.encode(unknown, quality: 80) } == .formatNotSupported)
    for size in [Size(width: 0, height: 10), Size(width: 10, height: -1), Size(width: 40_000, height: 10)] {
      #expect(reason { try encoder.encode(good, quality: 80, size: size) } == .invalidArgument)
    }
    #expect(try encoder.encode(good, quality: 80).buffer.count > 0)
  }
}
