public import CaptureCore

/// What one photo is to be.
public struct PhotoRequest: Hashable, Sendable {
  /// Names the capture for ever: 1 to 128 printable characters without `/`. Empty: made by the output.
  public var uniqueID: String
  /// The instant asked for. Nil: now, that is `arrivalNanoseconds`.
  public var moment: CaptureMoment?
  /// When the request reached the daemon, CLOCK_MONOTONIC: stamped by the transport, not when a handler ran.
  public var arrivalNanoseconds: UInt64
  /// 1 to 100. A camera's own JPEG is kept as it is.
  public var jpegQuality: Int
  /// Nil: `balanced`, or the output's maximum where that is lower.
  public var quality: PhotoQuality?
  /// Whether a frame captured before the request may be used. Not when something has to happen for the photo: a flash, an
  /// exposure.
  public var mayUseRing = true
  /// Whether other captures may be under way at the same time. Not when it takes much memory: uncompressed.
  public var mayOverlap = true

  public init(
    uniqueID: String = "", moment: CaptureMoment? = nil, arrivalNanoseconds: UInt64, jpegQuality: Int = 90,
    quality: PhotoQuality? = nil
  ) {
    self.uniqueID = uniqueID
    self.moment = moment
    self.arrivalNanoseconds = arrivalNanoseconds
    self.jpegQuality = jpegQuality
    self.quality = quality
  }

  /// - Parameter features: of the output.
  func validate(_ features: PhotoFeatures) throws(CaptureError) {
    if let quality, quality > features.maxQuality {
      throw CaptureError(
        .unsupportedValue,
        "The photo output makes photos at most with \(features.maxQuality); ask for that, or raise its "
          + "max_quality_prioritization.",
        metadata: ["value": "\(quality)", "max_quality_prioritization": "\(features.maxQuality)"],
        field: "settings.quality_prioritization")
    }
    // Scalars, not characters: one character may have megabytes of combining marks, and ids are kept. No slash, because
    // the capture's resource name is made of it.
    let scalars = uniqueID.unicodeScalars
    let isPrintable = scalars.allSatisfy { scalar in
      if scalar == "/" { return false }
      return switch scalar.properties.generalCategory {
      case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
      default: true
      }
    }
    if scalars.count > 128 || !isPrintable {
      throw CaptureError(
        .invalidArgument, "unique_id must be at most 128 printable characters without /; it has \(scalars.count).",
        metadata: ["count": "\(scalars.count)"], field: "settings.unique_id")
    }
    if !(1...100).contains(jpegQuality) {
      throw CaptureError(
        .invalidArgument, "jpeg_quality is \(jpegQuality); allowed: 1 to 100.",
        metadata: ["value": "\(jpegQuality)", "allowed": "1 to 100"], field: "settings.jpeg_quality")
    }
  }
}
