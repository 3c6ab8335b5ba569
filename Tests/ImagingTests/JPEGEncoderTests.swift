import CaptureCore
import Imaging
import Testing

@Suite struct JPEGEncoderTests {
  let pool = FramePool(budget: 64 << 20)

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

  /// Whole blocks, and odd in both directions with cut blocks. JPEG itself costs nothing here: a bar fills its blocks.
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
}
