internal import CaptureCore
internal import Imaging

/// How a photo is encoded.
public enum PhotoEncoding: String, Hashable, Sendable, CaseIterable {
  case jpeg = "JPEG"
  /// Where libheif is installed.
  case heic = "HEIC"
  case png = "PNG"
  /// In the camera's own format; NV12 where it compresses itself.
  case uncompressed = "UNCOMPRESSED"

  /// Those that this machine can make now.
  public static var available: [PhotoEncoding] { allCases.filter(\.isAvailable) }

  var isAvailable: Bool { self != .heic || HEICEncoder.isAvailable }

  /// Whether files have a place for a thumbnail.
  var embedsThumbnails: Bool { self == .jpeg || self == .heic }

  var unavailable: CaptureError {
    let names = Self.available.map(\.rawValue).joined(separator: ", ")
    return CaptureError(
      .unsupportedValue, "Photos cannot be encoded as \(rawValue) on this machine; available are \(names).",
      metadata: ["encoding": rawValue, "available": names], field: "settings.encoding")
  }
}

/// What becomes of a picture.
struct PhotoFile: Sendable {
  var encoding = PhotoEncoding.jpeg
  var jpegQuality = 90
  var heicQuality = 50
  /// The most it may measure; nil for none.
  var thumbnail: Size?
  /// The camera's own format; nil for the picture's.
  var pixelFormat: PixelFormat?
  var exif: EXIF
}

extension PhotoFile {
  init(_ request: PhotoRequest, of pinned: PinnedFrame) {
    self.init(request, of: pinned.captured, sensor: pinned.sensor)
  }

  init(_ request: PhotoRequest, of captured: CapturedFrame, sensor: SensorReadings) {
    self.init(
      encoding: request.encoding, jpegQuality: request.jpegQuality, heicQuality: request.heicQuality,
      thumbnail: request.embeddedThumbnail, pixelFormat: captured.frame.layout.pixelFormat,
      exif: EXIF(
        time: captured.frame.time.wall, sensor: sensor, camera: captured.camera, isFlashFired: sensor.isFlashOn))
  }
}

/// Turns a picture and encodes it. Thread-bound, as codecs are.
typealias EncodePhoto = (Picture, PhotoFile, Orientation) throws(CaptureError) -> Picture

/// Makes an encoder on the thread that will use it, with the memory its pictures come from.
typealias MakePhotoEncoder = @Sendable (FramePool) -> EncodePhoto

/// The real encoders, each made when it is first asked for. Thread-bound.
final class PhotoEncoder {
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

  init(pool: FramePool) {
    self.pool = pool
    jpeg = JPEGPhotoEncoder(pool: pool)
  }

  func encode(_ picture: Picture, _ file: PhotoFile, _ orientation: Orientation) throws(CaptureError) -> Picture {
    switch file.encoding {
    case .jpeg:
      return try jpeg.encode(
        picture, quality: file.jpegQuality, orientation: orientation, exif: file.exif, thumbnail: file.thumbnail)
    case .heic:
      do {
        return try heic.encode(
          picture, quality: file.heicQuality, orientation: orientation, exif: file.exif, thumbnail: file.thumbnail)
      } catch {
        // Known only now that it was to be loaded.
        throw HEICEncoder.isAvailable ? error : PhotoEncoding.heic.unavailable
      }
    case .png: return try png.encode(picture, orientation: orientation, exif: file.exif)
    case .uncompressed: return try uncompressed.make(picture, as: file.pixelFormat, orientation: orientation)
    }
  }
}
