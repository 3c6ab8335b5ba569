import CaptureCore
import CaptureTestKit
import Imaging
import Testing

@testable import PhotoCapture

/// Encoding photos with the real codecs, as a photo thread does.
@Suite struct PhotoEncodingTests {
  static let size = Size(width: 128, height: 72)

  static func file(_ encoding: PhotoEncoding = .jpeg, jpegQuality: Int = 90) -> PhotoFile {
    PhotoFile(
      settings: PhotoFileSettings(encoding: encoding, jpegQuality: jpegQuality), exif: EXIF(time: 0))
  }

  /// A raw frame becomes a whole JPEG file, whatever the quality.
  @Test func rawFramesBecomeJPEG() throws {
    let encode = PhotoEncoder.make(FramePool(budget: 16 << 20))
    let frame = Frame.fake(sequence: 1, at: 1, layout: .packed(.yuyv, Self.size)!)!
    let (good, poor) = (
      try encode(frame.picture, Self.file(jpegQuality: 95), .asCaptured),
      try encode(frame.picture, Self.file(jpegQuality: 5), .asCaptured)
    )
    #expect(good.layout.pixelFormat == .jpeg && good.layout.size == Self.size)
    for picture in [good, poor] {
      #expect(picture.buffer.withUnsafeBytes { Array($0.prefix(2)) + Array($0.suffix(2)) } == [0xff, 0xd8, 0xff, 0xd9])
    }
  }

  /// Each encoding makes a file of its format, in memory of the photo pool.
  @Test func eachEncodingMakesItsFormat() throws {
    let pool = FramePool(budget: 64 << 20)
    let encode = PhotoEncoder.make(pool)
    let frame = Frame.fake(sequence: 1, at: 1, layout: .packed(.yuyv, Self.size)!)!
    for (encoding, format, magic) in [
      (PhotoEncoding.jpeg, PixelFormat.jpeg, [0xff, 0xd8, 0xff, 0xe0]), (.png, .png, [0x89, 0x50, 0x4e, 0x47]),
      (.heic, .heic, [0, 0, 0]),
    ] as [(PhotoEncoding, PixelFormat, [UInt8])] {
      let photo = try encode(frame.picture, Self.file(encoding), .asCaptured)
      #expect(photo.layout.pixelFormat == format && photo.layout.size == Self.size)
      #expect(photo.buffer.withUnsafeBytes { $0.starts(with: magic) })
      #expect(photo.buffer.isFrom(pool))
    }
  }

  /// An uncompressed photo has the bytes of the frame in memory of its own. A turned one has the camera's pixel format
  /// and the turned size.
  @Test func uncompressedPhotosHaveTheCamerasFormat() throws {
    let pool = FramePool(budget: 16 << 20)
    let encode = PhotoEncoder.make(pool)
    let frame = Frame.fake(sequence: 1, at: 1, layout: .packed(.yuyv, Self.size)!, filledWith: 9)!
    let own = try encode(frame.picture, Self.file(.uncompressed), .asCaptured)
    #expect(own.layout == frame.layout)
    #expect(own.buffer !== frame.buffer && own.buffer.withUnsafeBytes { $0.allSatisfy { $0 == 9 } })
    let turned = try encode(frame.picture, Self.file(.uncompressed), Orientation(rotation: .quarter))
    #expect(turned.layout == .packed(.yuyv, Size(width: 72, height: 128)))
  }

  /// A camera's JPEG is copied and not encoded again. The copy has the daemon's EXIF in place of the camera's, and
  /// holds none of the camera's memory.
  @Test func camerasOwnJPEGIsKeptWithOtherEXIF() throws {
    let pool = FramePool(budget: 16 << 20)
    let encode = PhotoEncoder.make(pool)
    let camera = FramePool(budget: 8192)
    let frame = Frame.fake(sequence: 1, at: 1, layout: .packed(.nv12, Self.size)!)!
    let rest = try JPEGEncoder(pool: pool).encode(frame.picture, quality: 80).buffer
      .withUnsafeBytes { Array($0.dropFirst(2)) }
    let kept: Picture
    do {
      let bytes: [UInt8] = [0xff, 0xd8, 0xff, 0xe1, 0, 9, 0x45, 0x78, 0x69, 0x66, 0, 0, 77, 0xff, 0xe0, 0, 3, 5] + rest
      let memory = camera.take(bytes.count)!
      memory.bytes.copyBytes(from: bytes)
      let own = Picture(layout: .packed(.mjpeg, Self.size)!, buffer: memory.freeze(count: bytes.count))
      kept = try encode(own, Self.file(jpegQuality: 50), .asCaptured)
    }
    kept.buffer.withUnsafeBytes { bytes in
      #expect(bytes.starts(with: [0xff, 0xd8, 0xff, 0xe1]))
      let length = Int(bytes[4]) << 8 | Int(bytes[5])
      #expect(Array(bytes[6..<16]) == [0x45, 0x78, 0x69, 0x66, 0, 0, 0x49, 0x49, 42, 0])
      #expect(Array(bytes[(4 + length)...]) == [0xff, 0xe0, 0, 3, 5] + rest)
    }
    #expect(kept.layout.pixelFormat == .jpeg && kept.layout.size == Self.size)
    let isFree = camera.take(8192) != nil
    #expect(isFree, "the camera must have its memory back")
  }

  /// Every encoder reports a full pool as `outOfBuffers`, so that the store can make room.
  @Test func aFullPoolIsReportedAsSuch() throws {
    let encode = PhotoEncoder.make(FramePool(budget: 0))
    let frame = Frame.fake(sequence: 1, at: 1, layout: .packed(.nv12, Self.size)!)!
    for encoding in PhotoEncoding.allCases {
      #expect(
        #expect(throws: CaptureError.self) { try encode(frame.picture, Self.file(encoding), .asCaptured) }?.reason
          == .outOfBuffers)
    }
  }

  /// A thumbnail is refused for files that have no place for it, and when its size is out of range.
  @Test func thumbnailsThatCannotBeMadeAreRefused() {
    func refusal(_ encoding: PhotoEncoding, _ size: Size) -> CaptureError? {
      #expect(throws: CaptureError.self) {
        let file = PhotoFileSettings(encoding: encoding, embeddedThumbnail: size)
        try PhotoRequest(arrival: 0, file: file).validate(PhotoFeatures())
      }
    }
    let size = Size(width: 160, height: 120)
    #expect(throws: Never.self) {
      let file = PhotoFileSettings(encoding: .heic, embeddedThumbnail: size)
      try PhotoRequest(arrival: 0, file: file).validate(PhotoFeatures())
    }
    for encoding in [PhotoEncoding.png, .uncompressed] {
      #expect(refusal(encoding, size)?.reason == .unsupportedValue)
      #expect(refusal(encoding, size)?.metadata["available"] == "JPEG, HEIC")
    }
    #expect(refusal(.jpeg, Size(width: 513, height: 64))?.reason == .invalidArgument)
    #expect(refusal(.jpeg, Size(width: 64, height: 63))?.reason == .invalidArgument)
  }
}
