import CaptureCore
import Testing

@testable import FrameDelivery

/// How large a picture may be, by the reader's limits of pixels and of bytes.
@Suite struct PictureFitTests {
  static let hd = Size(width: 1920, height: 1080)

  /// A size that fits stays as it is, even if its sides are odd.
  @Test func aSizeThatFitsIsKept() {
    #expect(PictureFit.size(Self.hd, into: nil, scale: 64) == Self.hd)
    #expect(PictureFit.size(Self.hd, into: Size(width: 4000, height: 4000), scale: 64) == Self.hd)
    let odd = Size(width: 641, height: 361)
    #expect(PictureFit.size(odd, into: Size(width: 641, height: 400), scale: 64) == odd)
  }

  @Test func theAspectIsKept() {
    #expect(PictureFit.size(Self.hd, into: Size(width: 640, height: 640), scale: 64) == Size(width: 640, height: 360))
    #expect(PictureFit.size(Self.hd, into: nil, scale: 32) == Size(width: 960, height: 540))
  }

  /// A raw picture that is too large for the reader's message is scaled no further than necessary, and keeps its
  /// aspect.
  @Test(arguments: [PixelFormat.nv12, .yuyv], [65_536 - 1024, 1_000_000, 3_000_000])
  func theLargestRawPictureThatFitsIsTaken(format: PixelFormat, limit: Int) throws {
    let size = PictureFit.size(Self.hd, as: format, maxBytes: limit)
    #expect(try #require(FrameLayout.packed(format, size)).byteCount <= limit)
    #expect(size.width % 2 == 0 && size.height % 2 == 0)
    let error = abs(Double(size.width) / Double(size.height) - 16.0 / 9.0)
    #expect(error < 0.02)
    // A picture that is two pixels wider would not fit.
    let wider = Size(width: size.width + 2, height: Int((Double(size.width + 2) * 9 / 16).rounded()) & ~1)
    #expect(try #require(FrameLayout.packed(format, wider)).byteCount > limit)
  }

  @Test func rawPicturesThatFitKeepTheirSize() {
    #expect(PictureFit.size(Self.hd, as: .nv12, maxBytes: 4 << 20) == Self.hd)
    // Even at the smallest limit, there is a size for a wide strip.
    let strip = PictureFit.size(Size(width: 32_768, height: 2), as: .yuyv, maxBytes: 64_512)
    #expect(strip.height == 2 && strip.width <= 16_128)
  }

  /// Otherwise the search for a JPEG that fits would never end.
  @Test(arguments: 2...64) func theNextScaleIsAlwaysSmaller(scale: Int) {
    let next = PictureFit.smallerScale(than: scale, bytes: 65_000, limit: 64_512)
    #expect(next < scale && next >= 1)
  }

  /// The ratio of the bytes to the limit gives the next scale, and no scale is below 1.
  @Test func theNextScaleFollowsTheExcess() {
    #expect(PictureFit.smallerScale(than: 64, bytes: 400_000, limit: 100_000) == 30)
    #expect(PictureFit.smallerScale(than: 1, bytes: 400_000, limit: 100_000) == 1)
  }
}
