internal import CEXIF
public import CaptureCore
internal import Foundation

/// What a photo's file tells of how it came to be. What is nil is not known, and not told.
///
/// Software, orientation and colour space are always told: pixels are turned already, and in sRGB. Make and lens are not,
/// since V4L2 does not know them, nor is ISO: a driver's gain has a unit of its own, and goes into the comment with it.
public struct EXIF: Hashable, Sendable {
  /// When the frame was captured, nanoseconds since the Unix epoch. Told in local time with its offset, in microseconds.
  public var wallNanoseconds: UInt64
  public var sensor: SensorReadings
  /// The camera's name.
  public var camera: String?
  /// Whether a flash lit it.
  public var isFlashFired: Bool?

  public init(
    wallNanoseconds: UInt64, sensor: SensorReadings = SensorReadings(), camera: String? = nil,
    isFlashFired: Bool? = nil
  ) {
    self.wallNanoseconds = wallNanoseconds
    self.sensor = sensor
    self.camera = camera
    self.isFlashFired = isFlashFired
  }

  /// Bytes before the block's TIFF file, which is all that formats other than JPEG embed.
  static let prefix = 6
  /// Bytes a thumbnail may have, so that the block fits into one segment of a JPEG.
  static let largestThumbnail = 60_000

  /// The block for a picture of `size`: "Exif", two zeros, a TIFF file.
  ///
  /// - Parameter thumbnail: a JPEG.
  func block(size: Size, isJPEG: Bool, thumbnail: [UInt8] = []) throws(CaptureError) -> [UInt8] {
    var photo = cexif_photo()
    (photo.width, photo.height) = (Int32(size.width), Int32(size.height))
    photo.seconds = Int64(wallNanoseconds / 1_000_000_000)
    photo.nanoseconds = Int32(wallNanoseconds % 1_000_000_000)
    if let exposure = sensor.exposureNanoseconds {
      (photo.exposure_numerator, photo.exposure_denominator) = Self.seconds(exposure)
    }
    photo.flash = isFlashFired.map { $0 ? 1 : 0 } ?? -1
    photo.is_jpeg = isJPEG ? 1 : 0
    var count = 0
    let block = thumbnail.withUnsafeBufferPointer { thumbnail in
      withText("Firstlight") { software in
        withText(camera) { camera in
          withText(sensor.gain.map { "gain=\($0)" }) { comment in
            (photo.software, photo.model, photo.comment) = (software, camera, comment)
            if !thumbnail.isEmpty {
              (photo.thumbnail, photo.thumbnail_count) = (thumbnail.baseAddress, thumbnail.count)
            }
            return cexif_write(&photo, &count)
          }
        }
      }
    }
    guard let block else { throw CaptureError(.processingFailed, "There is no memory for the EXIF of a photo.") }
    defer { free(block) }
    return Array(UnsafeBufferPointer(start: block, count: count))
  }

  /// A fraction of a second in lowest terms; a microsecond exact from 4 s on.
  static func seconds(_ nanoseconds: UInt64) -> (UInt32, UInt32) {
    var (above, below): (UInt64, UInt64) = (nanoseconds, 1_000_000_000)
    if above > UInt64(UInt32.max) { (above, below) = (above / 1000, below / 1000) }
    var (a, b) = (above, below)
    while b > 0 { (a, b) = (b, a % b) }
    return (UInt32(clamping: above / a), UInt32(below / a))
  }

  private func withText<R>(_ text: String?, _ body: (UnsafePointer<CChar>?) -> R) -> R {
    guard let text, !text.isEmpty else { return body(nil) }
    return text.withCString(body)
  }
}
