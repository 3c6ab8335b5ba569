import CaptureCore
import CaptureTestKit
import Imaging
import Testing

/// Conversions between all uncompressed formats, with and without scaling.
@Suite(.computing) struct PictureConverterTests {
  let pool = FramePool(budget: 64 << 20)

  /// Even and odd sizes, both ranges and both matrices keep their colours to two code values.
  @Test(arguments: PixelFormat.uncompressed, PixelFormat.uncompressed)
  func everyFormatBecomesEveryOther(_ from: PixelFormat, _ to: PixelFormat) throws {
    #expect(PictureConverter.canConvert(from, to: to))
    let converter = PictureConverter(pool: pool)
    for size in [Size(width: 256, height: 8), Size(width: 243, height: 7)] {
      for range in [FrameLayout.Range.limited, .full] {
        // With BT.709 the luma of a grey picture is another one, so the bars give nothing to compare it with.
        for matrix in from == .grey || to == .grey ? [FrameLayout.Matrix.bt601] : [.bt601, .bt709] {
          let picture = draw(from, size, padding: 10, range: range, matrix: matrix, pool: pool)
          let result = try converter.convert(picture, to: to)
          #expect(result.layout.pixelFormat == to && result.layout.size == size)
          let error = result.errorAgainstBars(lumaOnly: to == .grey || from == .grey)
          #expect(error <= 2, "\(size) \(range) \(matrix)")
        }
      }
    }
  }

  @Test func aPictureThatNeedsNoConversionIsNotCopied() throws {
    let picture = draw(.nv12, Size(width: 32, height: 16), padding: 3, pool: pool)
    let result = try PictureConverter(pool: pool).convert(picture, to: .nv12, size: picture.layout.size)
    #expect(result.buffer === picture.buffer && result.layout == picture.layout)
  }

  /// A scaled picture is as bright and has the same colours on average as the whole picture.
  @Test(arguments: PixelFormat.uncompressed, PixelFormat.uncompressed)
  func scalingKeepsTheMean(_ from: PixelFormat, _ to: PixelFormat) throws {
    let full = Size(width: 132, height: 76)
    let picture = draw(from, full, padding: 7, pool: pool, waves(full))
    let converter = PictureConverter(pool: pool)
    let whole = try converter.convert(picture, to: to).mean
    // Half the size gives true means. In other sizes the boxes hold whole pixels, so some pixels weigh more than
    // others.
    let sizes = [
      (Size(width: 66, height: 38), 1.0), (Size(width: 33, height: 19), 2), (Size(width: 62, height: 36), 2),
      (Size(width: 26, height: 18), 2), (Size(width: 160, height: 90), 2),
    ]
    for (size, tolerance) in sizes {
      let result = try converter.convert(picture, to: to, size: size)
      #expect(result.layout.size == size)
      #expect(YCC(result.mean).distance(to: YCC(whole)) <= tolerance, "\(size)")
    }
  }

  @Test(arguments: [PixelFormat.jpeg, .mjpeg], PixelFormat.uncompressed)
  func jpegIsDecodedToEveryFormat(_ from: PixelFormat, _ to: PixelFormat) throws {
    #expect(PictureConverter.canConvert(from, to: to))
    let size = Size(width: 243, height: 21)
    let picture = compressedPicture(Samples.yuv422, size, format: from, pool: pool)
    let result = try PictureConverter(pool: pool).convert(picture, to: to)
    #expect(result.layout.range == .full && result.layout.matrix == .bt601)
    #expect(result.errorAgainstBars(lumaOnly: to == .grey) <= 2)
  }

  /// Alternating red and blue columns would blend if the conversion went by way of YUV.
  @Test func rgbKeepsItsColorResolution() throws {
    let size = Size(width: 33, height: 5)
    let stripes = { (x: Int, _: Int) in x % 2 == 0 ? RGB(255, 3, 0) : RGB(1, 0, 254) }
    let formats = [PixelFormat.rgb24, .bgr24, .xbgr32]
    for from in formats {
      for to in formats {
        let result = try PictureConverter(pool: pool).convert(draw(from, size, padding: 2, pool: pool, stripes), to: to)
        result.withPixels { pixel in
          for y in 0..<size.height {
            for x in 0..<size.width { #expect(pixel(x, y) == stripes(x, y)) }
          }
        }
      }
    }
  }

  /// A 4:2:2 picture stays 4:2:2, so that lines of two colours do not blend.
  @Test func packed422KeepsItsChromaLines() throws {
    let size = Size(width: 34, height: 7)
    let lines = { (_: Int, y: Int) in y % 2 == 0 ? RGB(200, 40, 40) : RGB(40, 40, 200) }
    for from in [PixelFormat.yuyv, .uyvy, .yuv422p] {
      let picture = draw(from, size, padding: 6, pool: pool, lines)
      for to in [PixelFormat.yuyv, .uyvy, .yuv422p, .bgr24] {
        let result = try PictureConverter(pool: pool).convert(picture, to: to)
        result.withPixels { pixel in
          for y in 0..<size.height { #expect(pixel(8, y).distance(to: lines(8, y)) <= 4) }
        }
      }
    }
  }

  @Test func unsupportedFormatsAndSizesAreRefused() throws {
    let unknown = PixelFormat(fourCC: "BA81")!
    let picture = draw(.yuyv, Size(width: 16, height: 16), pool: pool)
    let converter = PictureConverter(pool: pool)
    for format in [PixelFormat.jpeg, .mjpeg, unknown] {
      #expect(!PictureConverter.canConvert(.yuyv, to: format))
      #expect(reason { try converter.convert(picture, to: format) } == .formatNotSupported)
    }
    #expect(!PictureConverter.canConvert(unknown, to: .nv12))
    for size in [Size(width: 0, height: 16), Size(width: 16, height: -2), Size(width: 16, height: 32_769)] {
      #expect(reason { try converter.convert(picture, to: .nv12, size: size) } == .invalidArgument)
    }
    let empty = PictureConverter(pool: FramePool(budget: 0))
    #expect(reason { try empty.convert(picture, to: .nv12) } == .outOfBuffers)
  }
}
