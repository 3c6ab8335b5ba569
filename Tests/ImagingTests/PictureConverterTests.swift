import CaptureCore
import Imaging
import Testing

@Suite struct PictureConverterTests {
  let pool = FramePool(budget: 64 << 20)

  @Test(arguments: PixelFormat.uncompressed, PixelFormat.uncompressed)
  func everyFormatBecomesEveryOther(_ from: PixelFormat, _ to: PixelFormat) throws {
    #expect(PictureConverter.canConvert(from, to: to))
    let converter = PictureConverter(pool: pool)
    for size in [Size(width: 256, height: 8), Size(width: 243, height: 7)] {
      for range in [FrameLayout.Range.limited, .full] {
        // The luma of BT.709 is another grey: nothing to compare it with.
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
}
