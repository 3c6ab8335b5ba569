import CaptureCore
import CaptureTestKit
import Testing

@testable import Imaging

/// JPEG photos with EXIF, made of raw pictures and of a camera's own JPEG.
@Suite(.computing) struct JPEGPhotoEncoderTests {
  let pool = FramePool(budget: 64 << 20)
  let size = Size(width: 256, height: 144)

  /// The markers of the photo's segments, in order.
  private func segments(_ picture: Picture) -> [UInt8] {
    picture.buffer.withUnsafeBytes { bytes in
      var markers: [UInt8] = []
      _ = JPEGSegments.ranges(of: bytes) { marker, _ in
        markers.append(marker)
        return false
      }
      return markers
    }
  }

  /// A raw picture becomes a JFIF file to which an EXIF segment is added.
  @Test func aPhotoIsJFIFWithEXIFAndTheSamePicture() throws {
    let picture = draw(.nv12, size, pool: pool)
    let encoder = JPEGPhotoEncoder(pool: pool)
    let photo = try encoder.encode(
      picture, quality: 95, orientation: .asCaptured, exif: EXIF(time: 0), thumbnail: nil)
    #expect(segments(photo).prefix(2) == [JPEGSegments.app0, JPEGSegments.app1])
    #expect(try JPEGDecoder(pool: pool).decode(photo).errorAgainstBars() <= 2)
  }

  /// The picture data of a camera's own JPEG stays as it is to the byte, so the photo decodes to the same pixels as the
  /// camera's JPEG.
  @Test func aCamerasOwnJPEGKeepsItsPicture() throws {
    var own = try JPEGEncoder(pool: pool).encode(draw(.nv12, size, pool: pool), quality: 80)
    own.layout.pixelFormat = .mjpeg
    let encoder = JPEGPhotoEncoder(pool: pool)
    let exif = EXIF(time: 0)
    let once = try encoder.encode(own, quality: 1, orientation: .asCaptured, exif: exif, thumbnail: nil)
    #expect(segments(once).prefix(2) == [JPEGSegments.app1, JPEGSegments.app0])
    #expect(once.bytes.suffix(own.buffer.count - 2) == own.bytes.dropFirst(2))
    // A JPEG that already has EXIF gets the new EXIF in place of the old.
    let twice = try encoder.encode(once, quality: 1, orientation: .asCaptured, exif: exif, thumbnail: nil)
    #expect(twice.bytes == once.bytes)
  }

  /// A photo is refused when its bytes are damaged, and the damage is noted in the frame's memory for all other users
  /// of that memory.
  @Test func damagedBytesAreRefused() throws {
    let encoder = JPEGPhotoEncoder(pool: pool)
    let whole = try JPEGEncoder(pool: pool).encode(draw(.nv12, size, pool: pool), quality: 90).bytes
    // A camera gives such bytes when a part of the picture was lost on the way: both ends are whole.
    let cut = whole.prefix(whole.count / 2) + whole.suffix(whole.count / 4)
    for bytes: [UInt8] in [[], [1, 2, 3, 4, 5, 6], [0xff, 0xd8, 0xff, 0xe1, 0xff, 0xff, 0, 0], Array(cut)] {
      let own = compressedPicture(bytes, size, pool: pool)
      #expect(
        #expect(throws: CaptureError.self) {
          try encoder.encode(
            own, quality: 90, orientation: .asCaptured, exif: EXIF(time: 0), thumbnail: nil)
        }?.reason == .frameDamaged)
      #expect(own.buffer.isDamaged, "all users of the memory can see the damage")
    }
  }

  /// A thumbnail is turned like the photo and fits into the requested size.
  @Test func aThumbnailIsTurnedAndFits() throws {
    let encoder = JPEGPhotoEncoder(pool: pool)
    let photo = try encoder.encode(
      draw(.yuyv, Size(width: 640, height: 360), pool: pool), quality: 90, orientation: Orientation(rotation: .quarter),
      exif: EXIF(time: 0), thumbnail: Size(width: 512, height: 128))
    #expect(try thumbnailSize(photo) == [0, 128, 0, 72])
  }

  /// The height and the width of the thumbnail, two bytes each, as they stand in the file.
  private func thumbnailSize(_ photo: Picture) throws -> [UInt8] {
    var exif: [UInt8] = []
    photo.buffer.withUnsafeBytes { bytes in
      _ = JPEGSegments.ranges(of: bytes) { marker, content in
        if JPEGSegments.isEXIF(marker, content) { exif = Array(content) }
        return false
      }
    }
    // The thumbnail is a JPEG in the EXIF block. It has no application data, and its first frame header tells its size
    // (T.81, B.2.2).
    let start = try #require((0..<exif.count - 4).first { exif[$0] == 0xff && exif[$0 + 1] == 0xd8 })
    #expect(exif[start + 3] != JPEGSegments.app0)
    let header = try #require((start..<exif.count - 9).first { exif[$0] == 0xff && exif[$0 + 1] == 0xc0 })
    return Array(exif[header + 5..<header + 9])
  }

  /// A thumbnail that does not fit the EXIF block in the requested size is made half as large.
  @Test func aThumbnailThatDoesNotFitIsSmaller() throws {
    let layout = try #require(FrameLayout.packed(.grey, Size(width: 512, height: 512), range: .full))
    let memory = pool.take(layout.byteCount)!
    // Nothing compresses worse than samples that are black or white at random.
    var state: UInt64 = 1
    for index in 0..<layout.byteCount {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      memory.bytes[index] = state >> 63 == 0 ? 0 : 255
    }
    let noise = Picture(layout: layout, buffer: memory.freeze(count: layout.byteCount))
    let photo = try JPEGPhotoEncoder(pool: pool).encode(
      noise, quality: 50, orientation: .asCaptured, exif: EXIF(time: 0),
      thumbnail: Size(width: 512, height: 512))
    #expect(try thumbnailSize(photo) == [1, 0, 1, 0])
  }
}
