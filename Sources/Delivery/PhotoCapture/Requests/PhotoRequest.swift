public import CaptureCore
public import SystemClocks

/// A client's request for one capture: one photo, the photos of a bracket, or a photo of each of several cameras.
public struct PhotoRequest: Hashable, Sendable {
  /// The client's name for the capture, which no other capture may have: up to 128 printable characters without `/`.
  /// When it is empty, the output makes an id.
  public var uniqueID: String
  /// The instant that the photo is to show; nil for "now", which is the request's ``arrival``.
  public var moment: CaptureMoment?
  /// When the request reached the daemon. The transport sets this time, because a handler may run later.
  public var arrival: MonotonicInstant
  /// The file that the photo becomes.
  public var file: PhotoFileSettings
  /// Whether quality or speed counts more; nil for `balanced`, or for the output's maximum where that is lower.
  public var quality: PhotoQuality?
  /// The light of the photo: flash, manual exposure or bracket.
  public var exposure = PhotoExposureSettings()
  /// The size of the photo in pixels, one of ``ShotCapabilities/sizes``; nil for the size in which the camera streams.
  public var size: Size?
  /// The ids of the inputs of which the capture takes a photo each, at the same time; empty for one photo of the
  /// output's own camera.
  public var constituents: [String] = []
  /// Whether the camera was off when the request came, so that a capture of "now" waits until the exposure has settled.
  public var awaitsSettling = false
  /// Whether other captures may be in flight at the same time. An uncompressed photo takes much memory and therefore
  /// does not allow that.
  public var mayOverlap: Bool

  /// Creates a request that leaves the camera as it is set. A request with `arrival` alone asks for a photo of the
  /// instant at which it arrived.
  ///
  /// - Parameters: as the properties of the same names.
  public init(
    uniqueID: String = "", moment: CaptureMoment? = nil, arrival: MonotonicInstant,
    file: PhotoFileSettings = PhotoFileSettings(), quality: PhotoQuality? = nil
  ) {
    self.uniqueID = uniqueID
    self.moment = moment
    self.arrival = arrival
    self.file = file
    self.quality = quality
    mayOverlap = file.encoding != .uncompressed
  }

  /// Checks the request against what the output allows and what its camera can do.
  ///
  /// - Parameter features: the features of the output.
  /// - Throws: `invalidArgument` for a value outside its range and for settings that contradict each other;
  ///   `unsupportedValue` for a value that the output, the camera or this machine does not have;
  ///   `notSupportedInConfiguration` for an exposure that cannot be set on the camera.
  func validate(_ features: PhotoFeatures) throws(CaptureError) {
    if let quality, quality > features.maxQuality {
      throw CaptureError(
        .unsupportedValue,
        "The photo output makes photos at most with \(features.maxQuality); ask for that, or raise its "
          + "max_quality_prioritization.",
        metadata: ["value": "\(quality)", "max_quality_prioritization": "\(features.maxQuality)"],
        field: "settings.quality_prioritization")
    }
    try validateID()
    try file.validate()
    if let size { try validate(size, features) }
    try exposure.validate(features)
    try validateConstituents(features)
  }

  /// The number of photos that the capture makes.
  var photoCount: Int { max(constituents.count, exposure.photoCount) }

  /// Whether the photos of the capture are told apart by their index.
  var isOfSeveral: Bool { !constituents.isEmpty || !exposure.bracket.isEmpty && !exposure.mergesBracket }

  private func validateID() throws(CaptureError) {
    // The limit counts scalars, because one character may have megabytes of combining marks, and the store keeps ids.
    // A slash is not allowed, because the id is a part of the capture's resource name.
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
  }

  private func validate(_ size: Size, _ features: PhotoFeatures) throws(CaptureError) {
    let most = (features.maxSize ?? features.shots.sizes.first)?.pixelCount ?? 0
    let allowed = features.shots.sizes.filter { $0.pixelCount <= most }
    guard !allowed.contains(size) else { return }
    let names = allowed.map { "\($0)" }.joined(separator: ", ")
    throw CaptureError(
      .unsupportedValue,
      "The photo output makes photos of \(names), not of \(size); ask for one of these sizes, or raise its "
        + "max_photo_dimensions.",
      metadata: ["value": "\(size)", "allowed": names], field: "settings.max_photo_dimensions")
  }
}

extension PhotoRequest {
  /// The shot that the request needs; nil when the session does not have to change the camera's settings for the photo.
  ///
  /// - Parameters:
  ///   - flash: whether the flash fires. The caller has decided that for an automatic flash.
  ///   - shots: the settings that the camera can take for a photo.
  func shot(flash: Bool, _ shots: ShotCapabilities) -> Shot? {
    let larger = size == shots.sizes.first ? nil : size
    if !exposure.bracket.isEmpty {
      return Shot(steps: exposure.bracket.map { Shot.Step(exposure: $0) }, size: larger)
    }
    let manual = exposure.manualExposure.map { Shot.Exposure.manual($0) } ?? .unchanged
    guard flash || manual != .unchanged || larger != nil else { return nil }
    return Shot(steps: [Shot.Step(exposure: manual, flash: flash)], size: larger)
  }
}

/// Requests for a photo of each of several cameras.
extension PhotoRequest {
  private static let field = "settings.constituent_inputs"

  /// Checks the cameras that the request names, and what it asks for besides them.
  ///
  /// - Throws: `notSupportedInConfiguration` while captures take photos of one camera only; `unsupportedValue` when
  ///   only one camera is named, or when one is named twice or is not connected; `invalidArgument` for settings that
  ///   contradict them.
  func validateConstituents(_ features: PhotoFeatures) throws(CaptureError) {
    if constituents.isEmpty { return }
    let connected = features.constituents.joined(separator: ", ")
    guard !features.constituents.isEmpty else {
      throw CaptureError(
        .notSupportedInConfiguration,
        "The photo output takes photos of one camera; set its constituent_photo_delivery_enabled and connect several.",
        field: Self.field)
    }
    guard constituents.count > 1, Set(constituents).count == constituents.count,
      constituents.allSatisfy(features.constituents.contains)
    else {
      throw CaptureError(
        .unsupportedValue,
        "constituent_inputs names two or more different inputs that are connected to the photo output, which are "
          + "\(connected); the request names \(constituents.joined(separator: ", ")).",
        metadata: ["value": constituents.joined(separator: ", "), "available": connected], field: Self.field)
    }
    guard exposure.bracket.isEmpty, exposure.flashMode == .off, exposure.manualExposure == nil, size == nil,
      moment == nil
    else {
      throw CaptureError(
        .invalidArgument,
        "A capture of several cameras takes the next frames of each as the cameras are set; leave bracket, flash_mode, "
          + "manual_exposure, max_photo_dimensions, viewfinder_sequence and shutter_time unset.",
        field: Self.field)
    }
  }

  /// Checks that the cameras that the request names bring frames.
  ///
  /// - Throws: `notSupportedInConfiguration` for a camera whose connection is disabled; `sessionNotRunning` for one
  ///   that does not run.
  func checkConstituents(_ cameras: [ConstituentCamera]) throws(CaptureError) {
    for input in constituents {
      guard let camera = cameras.first(where: { $0.input == input }) else {
        throw CaptureError(
          .sessionNotRunning, "A commit is connecting \(input) to the photo output; take the photos when it is over.",
          metadata: ["input": input, "state": "\(SessionState.starting)"])
      }
      guard camera.connection.isEnabled else {
        throw CaptureError(
          .notSupportedInConfiguration,
          "The connection of \(camera.input) to the photo output is disabled; enable it to take photos of the camera.",
          metadata: ["input": camera.input], field: Self.field)
      }
      guard camera.status.state == .running else {
        throw CaptureError(
          .sessionNotRunning,
          "The camera of \(camera.input) is \(camera.status.state); take the photos when it runs.",
          metadata: ["input": camera.input, "state": "\(camera.status.state)"], field: Self.field)
      }
    }
  }
}
