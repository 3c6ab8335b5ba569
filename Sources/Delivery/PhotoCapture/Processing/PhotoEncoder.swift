internal import CaptureCore
internal import Imaging
internal import Locking

/// Turns a picture as the orientation says, and encodes it. One thread at a time may call the closure, because codecs
/// keep their working memory between calls.
///
/// - Throws: `frameDamaged` for a compressed picture that cannot be decoded whole; `outOfBuffers` when the pool has no
///   memory for the photo; `unsupportedValue` for an encoding that this machine cannot make; `processingFailed` when
///   the codec fails.
typealias EncodePhoto = (Picture, PhotoFile, Orientation) throws(CaptureError) -> Picture

/// Makes an encoder whose pictures take their memory from the pool.
typealias MakePhotoEncoder = @Sendable (FramePool) -> EncodePhoto

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

/// The encoders of an output's photos. Thread-safe.
///
/// A photo thread takes an encoder for one photo and then puts it back. The next photo on any thread uses the same
/// encoder, whose tables and buffers exist by then.
final class PhotoEncoders: Sendable {
  /// An encoder that a thread has taken and that no other thread uses.
  // Unchecked, because the array contains only encoders that no thread uses.
  struct Taken: @unchecked Sendable {
    let encode: EncodePhoto
  }

  /// The number of idle encoders that are kept: as many as an output makes photos at once.
  private static let kept = 3

  private let idle = Locked<[Taken]>([])
  private let make: MakePhotoEncoder
  private let pool: FramePool

  /// - Parameter pool: the memory of the encoded photos.
  init(_ make: @escaping MakePhotoEncoder, pool: FramePool) {
    self.make = make
    self.pool = pool
  }

  /// Takes the idle encoder that was put back last, or makes one when all encoders are in use.
  func take() -> Taken { idle.withLock { $0.popLast() } ?? Taken(encode: make(pool)) }

  /// Puts an encoder back. It is released when enough others are idle.
  func put(_ encoder: Taken) { idle.withLock { if $0.count < Self.kept { $0.append(encoder) } } }
}
