import CaptureCore
import CaptureTestKit
import Testing

@testable import Imaging

/// The boxes and sizes of HEIC photos. Tests with the running daemon check what other programs decode from such photos.
@Suite(.computing) struct HEICEncoderTests {
  let pool = FramePool(budget: 64 << 20)

  /// The beginning of the file as text, in which the names of its boxes stand.
  private func boxes(_ picture: Picture) -> String { String(decoding: picture.bytes.prefix(2000), as: UTF8.self) }

  /// The file says its brand, its colours and its codec, and has EXIF but no thumbnail when none is asked for.
  @Test(arguments: [PixelFormat.yuyv, .nv12, .yuv422p, .grey, .bgr24])
  func aPhotoIsHEICWithEXIF(_ format: PixelFormat) throws {
    #expect(HEICEncoder.isAvailable)
    let photo = try HEICEncoder(pool: pool).encode(
      draw(format, Size(width: 320, height: 180), padding: 6, pool: pool), quality: 50, orientation: .asCaptured,
      exif: EXIF(time: 0), thumbnail: nil)
    #expect(photo.layout.pixelFormat == .heic && photo.layout.size == Size(width: 320, height: 180))
    let text = boxes(photo)
    for box in ["ftypheic", "nclx", "Exif", "hvc1"] { #expect(text.contains(box), "\(box)") }
    #expect(!text.contains("thmb"))
    #expect(HEICEncoder.isAvailable)
  }

  @Test func aThumbnailIsAnItemOfItsOwn() throws {
    let photo = try HEICEncoder(pool: pool).encode(
      draw(.nv12, Size(width: 320, height: 180), pool: pool), quality: 50,
      orientation: Orientation(rotation: .quarter), exif: EXIF(time: 0),
      thumbnail: Size(width: 64, height: 64))
    #expect(boxes(photo).contains("thmb"))
    #expect(photo.layout.size == Size(width: 180, height: 320))
  }

  /// x265 has a smallest picture size. Pictures near that size, and pictures with odd sides, are whole all the same.
  @Test(arguments: [Size(width: 64, height: 36), Size(width: 36, height: 64), Size(width: 63, height: 65)])
  func smallAndOddSizesAreEncoded(_ size: Size) throws {
    let photo = try HEICEncoder(pool: pool).encode(
      draw(.yuv420, size, pool: pool), quality: 90, orientation: .asCaptured, exif: EXIF(time: 0),
      thumbnail: nil)
    #expect(photo.layout.size == size)
  }
}
