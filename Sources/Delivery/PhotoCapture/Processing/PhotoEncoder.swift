internal import CaptureCore
internal import Imaging

/// The codecs for the encodings of photos. Except that for JPEG, each codec is made when a photo first needs it. One
/// thread at a time may use an encoder.
final class PhotoEncoder {
  /// Makes an encoder with the real codecs.
  static let make: MakePhotoEncoder = { pool in
    let encoder = PhotoEncoder(pool: pool)
    return { (picture, file, orientation) throws(CaptureError) in
      try encoder.encode(picture, file, orientation)
    }
  }

  private let jpeg: JPEGPhotoEncoder
  private lazy var heic = HEICEncoder(pool: pool)
  private lazy var png = PNGEncoder(pool: pool)
  private lazy var uncompressed = UncompressedPhoto(pool: pool)
  private let pool: FramePool

  /// - Parameter pool: the memory of the encoded photos.
  init(pool: FramePool) {
    self.pool = pool
    jpeg = JPEGPhotoEncoder(pool: pool)
  }

  /// Turns and encodes a picture; see ``EncodePhoto``.
  func encode(_ picture: Picture, _ file: PhotoFile, _ orientation: Orientation) throws(CaptureError) -> Picture {
    let settings = file.settings
    switch settings.encoding {
    case .jpeg:
      return try jpeg.encode(
        picture, quality: settings.jpegQuality, orientation: orientation, exif: file.exif,
        thumbnail: settings.embeddedThumbnail)
    case .heic:
      do {
        return try heic.encode(
          picture, quality: settings.heicQuality, orientation: orientation, exif: file.exif,
          thumbnail: settings.embeddedThumbnail)
      } catch {
        // The first photo loads the library, so only now is it known whether that succeeds.
        throw HEICEncoder.isAvailable ? error : PhotoEncoding.heic.unavailable
      }
    case .png: return try png.encode(picture, orientation: orientation, exif: file.exif)
    case .uncompressed: return try uncompressed.make(picture, as: file.pixelFormat, orientation: orientation)
    }
  }
}
