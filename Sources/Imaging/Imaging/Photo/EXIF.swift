internal import CEXIF
public import CaptureCore
internal import Foundation
public import SystemClocks

/// The facts about a photo's origin that its file records. A property that is nil is unknown, and the file leaves its
/// tag out.
///
/// The file always records software, orientation and colour space: the pixels are already turned, and are in sRGB. The
/// file records neither make nor lens, because V4L2 does not know them. The file records no ISO either: a driver's gain
/// has a unit of its own, so the gain goes into the comment.
public struct EXIF: Hashable, Sendable {
  /// The time of the frame's capture. The file records local time with its offset from UTC, in microseconds.
  public var time: WallInstant
  /// The settings of the sensor. The file records the exposure time, and the gain as a comment; it ignores the other
  /// readings.
  public var sensor: SensorReadings
  /// The name of the camera; nil when unknown.
  public var camera: String?
  /// Whether a flash lit the scene; nil when unknown.
  public var isFlashFired: Bool?

  /// Creates the facts about a photo.
  ///
  /// - Parameters:
  ///   - time: The time of the frame's capture.
  ///   - sensor: The settings of the sensor; by default all are unknown.
  ///   - camera: The name of the camera; nil when unknown.
  ///   - isFlashFired: Whether a flash lit the scene; nil when unknown.
  public init(
    time: WallInstant, sensor: SensorReadings = SensorReadings(), camera: String? = nil, isFlashFired: Bool? = nil
  ) {
    self.time = time
    self.sensor = sensor
    self.camera = camera
    self.isFlashFired = isFlashFired
  }

  /// The number of bytes before the TIFF file in a block. Formats other than JPEG embed the TIFF file alone.
  static let prefix = 6
  /// The largest thumbnail in bytes with which the block still fits into one segment of a JPEG.
  static let largestThumbnail = 60_000

  /// Writes the EXIF block for a picture of `size`: "Exif", two zeros, and a TIFF file.
  ///
  /// - Parameters:
  ///   - isJPEG: Whether the block goes into a JPEG, which has EXIF tags of its own.
  ///   - thumbnail: A JPEG of at most ``largestThumbnail`` bytes; an empty array embeds none.
  /// - Throws: `processingFailed` when libexif finds no memory.
  func block(size: Size, isJPEG: Bool, thumbnail: [UInt8] = []) throws(CaptureError) -> [UInt8] {
    var photo = cexif_photo()
    (photo.width, photo.height) = (Int32(size.width), Int32(size.height))
    photo.seconds = Int64(time.nanoseconds / 1_000_000_000)
    photo.nanoseconds = Int32(time.nanoseconds % 1_000_000_000)
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

  /// Converts `nanoseconds` to a fraction of seconds in lowest terms. From 4.3 s on, the fraction is exact to a
  /// microsecond only, because numerator and denominator have 32 bits.
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
