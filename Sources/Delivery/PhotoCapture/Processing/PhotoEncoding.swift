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
