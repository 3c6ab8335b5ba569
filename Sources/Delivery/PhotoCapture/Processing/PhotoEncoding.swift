internal import CaptureCore
internal import Imaging

/// A format of photo files. The raw values are the names in errors.
public enum PhotoEncoding: String, Hashable, Sendable, CaseIterable {
  /// JPEG. A camera's own JPEG is kept as it is.
  case jpeg = "JPEG"
  /// HEIC, which can be made where libheif is installed.
  case heic = "HEIC"
  /// PNG, which loses nothing and has no place for a thumbnail.
  case png = "PNG"
  /// The pixels without compression: in the camera's pixel format, or in NV12 when the camera compresses its frames.
  case uncompressed = "UNCOMPRESSED"

  /// The encodings that this machine can make now.
  public static var available: [PhotoEncoding] { allCases.filter(\.isAvailable) }

  /// Whether this machine can make photos with this encoding now.
  var isAvailable: Bool { self != .heic || HEICEncoder.isAvailable }

  /// Whether a file with this encoding has a place for a thumbnail.
  var embedsThumbnails: Bool { self == .jpeg || self == .heic }

  /// The error for a request of this encoding on a machine that cannot make it: `unsupportedValue`.
  var unavailable: CaptureError {
    let names = Self.available.map(\.rawValue).joined(separator: ", ")
    return CaptureError(
      .unsupportedValue, "This machine cannot encode photos as \(rawValue); it can encode them as \(names).",
      metadata: ["encoding": rawValue, "available": names], field: "settings.encoding")
  }
}

/// The file that an encoder makes of a picture.
struct PhotoFile: Sendable {
  /// The settings that the client asked for.
  var settings = PhotoFileSettings()
  /// The pixel format of an uncompressed photo: that of the camera's frames. Nil for the picture's own format.
  var pixelFormat: PixelFormat?
  /// The facts about the photo that the file records.
  var exif: EXIF
}

extension PhotoFile {
  /// Creates the file of a photo that is made of `captured`.
  ///
  /// - Parameter sensor: the sensor's settings for the photo, which may differ from those that the frame tells.
  init(_ settings: PhotoFileSettings, of captured: CapturedFrame, sensor: SensorReadings) {
    self.init(
      settings: settings, pixelFormat: captured.frame.layout.decoded.pixelFormat,
      exif: EXIF(
        time: captured.frame.time.wall, sensor: sensor, camera: captured.camera, isFlashFired: sensor.isFlashOn))
  }
}
