import CaptureCore
import Imaging
import Testing

/// Photos without compression, in the format of the camera.
@Suite struct UncompressedPhotoTests {
  let pool = FramePool(budget: 64 << 20)

  /// The padding is noise, so a byte of padding in the photo would show.
  @Test(arguments: PixelFormat.uncompressed, [Size(width: 64, height: 48), Size(width: 63, height: 47)])
  func pixelsStayAndPaddingGoes(_ format: PixelFormat, _ size: Size) throws {
    let plain = draw(format, size, range: .full, matrix: .bt709, pool: pool)
    let padded = draw(format, size, padding: 22, range: .full, matrix: .bt709, pool: pool)
    let photo = try UncompressedPhoto(pool: pool).make(padded, orientation: .asCaptured)
    #expect(photo.layout == FrameLayout.packed(format, size, range: .full, matrix: .bt709))
    #expect(photo.bytes.count == plain.bytes.count)
    if size.width % 2 == 0, ![.abgr32, .xbgr32, .bgr32].contains(format) { #expect(photo.bytes == plain.bytes) }
    #expect(photo.mean == plain.mean)
  }

  /// A photo that is fused from several frames is planar, whatever the camera's own format. It gets the camera's
  /// format, or NV12 when the camera gives JPEG.
  @Test(arguments: [PixelFormat.nv12, .yuyv, .grey, .bgr24, .mjpeg])
  func aFusedPhotoIsInTheCamerasFormat(_ own: PixelFormat) throws {
    let merged = draw(.yuv420, Size(width: 256, height: 48), pool: pool)
    let photo = try UncompressedPhoto(pool: pool).make(merged, as: own, orientation: .asCaptured)
    #expect(photo.layout.pixelFormat == (own == .mjpeg ? .nv12 : own) && photo.layout.size == merged.layout.size)
    #expect(photo.errorAgainstBars(lumaOnly: own == .grey) <= 3)
  }

  @Test func aCompressedFrameBecomesNV12() throws {
    var own = try JPEGEncoder(pool: pool).encode(draw(.nv12, Size(width: 256, height: 48), pool: pool), quality: 95)
    own.layout.pixelFormat = .mjpeg
    let photo = try UncompressedPhoto(pool: pool).make(own, orientation: .asCaptured)
    #expect(photo.layout == FrameLayout.packed(.nv12, own.layout.size, range: .full))
    #expect(photo.errorAgainstBars() <= 2)
  }
}
