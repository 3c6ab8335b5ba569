public import CaptureCore
public import SystemClocks

/// What one photo is to be.
public struct PhotoRequest: Hashable, Sendable {
  /// Names the capture for ever: 1 to 128 printable characters without `/`. Empty: made by the output.
  public var uniqueID: String
  /// The instant asked for. Nil: now, that is `arrival`.
  public var moment: CaptureMoment?
  /// When the request reached the daemon: stamped by the transport, not when a handler ran.
  public var arrival: MonotonicInstant
  public var encoding: PhotoEncoding
  /// 1 to 100. A camera's own JPEG is kept as it is.
  public var jpegQuality: Int
  /// 1 to 100.
  public var heicQuality: Int
  /// The most a thumbnail in the photo's file may measure, 64 to 512 each; nil for none.
  public var embeddedThumbnail: Size?
  /// Nil: `balanced`, or the output's maximum where that is lower.
  public var quality: PhotoQuality?
  public var flashMode = FlashMode.off
  /// Nil: as the camera is set.
  public var manualExposure: ManualExposure?
  /// One of ``ShotCapabilities/sizes``. Nil: as the camera streams.
  public var size: Size?
  /// Several photos, each exposed in its own way; empty for one.
  public var bracket: [Shot.Exposure] = []
  /// Whether the bracket becomes one photo, in which dark and bright parts both show.
  public var mergesBracket = false
  /// Whether other captures may be under way at the same time. Not when it takes much memory: uncompressed.
  public var mayOverlap: Bool

  public init(
    uniqueID: String = "", moment: CaptureMoment? = nil, arrival: MonotonicInstant, encoding: PhotoEncoding = .jpeg,
    jpegQuality: Int = 90, heicQuality: Int = 50, embeddedThumbnail: Size? = nil, quality: PhotoQuality? = nil
  ) {
    self.uniqueID = uniqueID
    self.moment = moment
    self.arrival = arrival
    self.encoding = encoding
    self.jpegQuality = jpegQuality
    self.heicQuality = heicQuality
    self.embeddedThumbnail = embeddedThumbnail
    self.quality = quality
    mayOverlap = encoding != .uncompressed
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
    for (name, quality) in [("jpeg_quality", jpegQuality), ("heic_quality", heicQuality)]
    where !(1...100).contains(quality) {
      throw CaptureError(
        .invalidArgument, "\(name) is \(quality); allowed: 1 to 100.",
        metadata: ["value": "\(quality)", "allowed": "1 to 100"], field: "settings.\(name)")
    }
    if !encoding.isAvailable { throw encoding.unavailable }
    if let embeddedThumbnail { try validate(embeddedThumbnail) }
    try validateShot(features)
  }

  private func validate(_ thumbnail: Size) throws(CaptureError) {
    let field = "settings.embedded_thumbnail_dimensions"
    let allowed = 64...512
    guard allowed.contains(thumbnail.width), allowed.contains(thumbnail.height) else {
      throw CaptureError(
        .invalidArgument, "A thumbnail may measure 64 to 512 each way; \(thumbnail) was asked for.",
        metadata: ["value": "\(thumbnail)", "allowed": "64 to 512"], field: field)
    }
    guard encoding.embedsThumbnails else {
      let names = PhotoEncoding.available.filter(\.embedsThumbnails).map(\.rawValue).joined(separator: ", ")
      throw CaptureError(
        .unsupportedValue, "\(encoding.rawValue) photos embed no thumbnail; available with one are \(names).",
        metadata: ["encoding": encoding.rawValue, "available": names], field: field)
    }
  }
}
