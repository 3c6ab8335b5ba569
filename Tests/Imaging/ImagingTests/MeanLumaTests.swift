import CaptureCore
import Imaging
import Testing

/// The mean luma of a picture, measured with a grid of samples.
@Suite struct MeanLumaTests {
  private let pool = FramePool(budget: 64 << 20)

  @Test(arguments: PixelFormat.uncompressed)
  func everyUncompressedFormatIsMeasured(_ format: PixelFormat) throws {
    // The left third is dark, and the mean of the grid must be that of the picture. The padding holds noise.
    let picture = draw(format, Size(width: 192, height: 96), padding: 48, range: .full, pool: pool) { x, _ in
      x < 64 ? RGB(40, 40, 40) : RGB(160, 160, 160)
    }
    let mean = try #require(MeanLuma.measure(picture))
    #expect(abs(mean - 120) < 1.5)
  }

  /// The columns of the grid are even samples of a picture with one of the widths, and odd samples with the other.
  @Test(arguments: [Size(width: 768, height: 96), Size(width: 384, height: 96)])
  func tenBitPicturesAreMeasuredByTheirUpperBits(_ size: Size) throws {
    let layout = try #require(FrameLayout.packed(.p010, size))
    let memory = pool.take(layout.byteCount)!
    let bytes = memory.bytes
    for index in 0..<layout.byteCount / 2 {
      // The left third is dark, and the lower bits are noise.
      let code = (index % size.width < size.width / 3 ? 40 : 160) << 2 | index % 4
      bytes.storeBytes(of: UInt16(code << 6).littleEndian, toByteOffset: 2 * index, as: UInt16.self)
    }
    let mean = try #require(MeanLuma.measure(Picture(layout: layout, buffer: memory.freeze(count: layout.byteCount))))
    #expect(abs(mean - 120) < 1.5)
  }

  @Test func picturesSmallerThanTheGridAreMeasured() throws {
    let picture = draw(.grey, Size(width: 3, height: 2), range: .full, pool: pool) { _, _ in RGB(70, 70, 70) }
    #expect(MeanLuma.measure(picture) == 70)
  }

  @Test func compressedPicturesAreMeasured() throws {
    let size = Size(width: 243, height: 21)
    let picture = compressedPicture(Samples.yuv422, size, pool: pool)
    let bars = (0..<size.width).map { YCC(Bars.color($0, 0), range: .full, matrix: .bt601).y }
    let expected = bars.reduce(0, +) / Double(bars.count)
    #expect(abs(try #require(MeanLuma.measure(picture)) - expected) < 3)
  }

  @Test func unreadablePicturesHaveNoMean() {
    let size = Size(width: 243, height: 21)
    #expect(MeanLuma.measure(compressedPicture([0xff, 0xd8, 0xff], size, pool: pool)) == nil)
    let layout = FrameLayout(pixelFormat: PixelFormat(fourCC: "H264")!, size: size, planes: [])
    let memory = pool.take(64)!
    #expect(MeanLuma.measure(Picture(layout: layout, buffer: memory.freeze(count: 64))) == nil)
  }
}
