public import CaptureCore

/// The light that a client wants for its photo. By default, the camera exposes the photo as it exposes its stream, and
/// no flash fires.
public struct PhotoExposureSettings: Hashable, Sendable {
  /// Whether a flash lights the photo.
  public var flashMode = FlashMode.off
  /// The exposure that the camera is set to for the photo; nil to leave the exposure as it is.
  public var manualExposure: ManualExposure?
  /// The exposures of a bracket, one for each of its frames; empty for a photo that is not a bracket.
  public var bracket: [Shot.Exposure] = []
  /// Whether the frames of the bracket are merged into one photo that shows both dark and bright parts of the scene.
  public var mergesBracket = false

  /// Creates the default settings.
  public init() {}

  /// The number of photos that the capture makes: one, or as many as the bracket has when they are not merged.
  public var photoCount: Int { mergesBracket ? 1 : max(1, bracket.count) }

  /// The index of the exposure that represents a merged bracket: the exposure nearest to automatic exposure, or the
  /// middle one when all exposures are manual.
  var bracketReference: Int {
    let distances = bracket.map { if case .bias(let bias) = $0 { abs(bias) } else { Double.infinity } }
    guard let least = distances.min(), least.isFinite else { return bracket.count / 2 }
    return distances.firstIndex(of: least)!
  }

  /// Whether a frame that was captured before the request can have this exposure. False when the camera has to be set
  /// for the photo, or a flash has to fire.
  var mayUseRing: Bool { manualExposure == nil && bracket.isEmpty && flashMode != .on }
}

/// Whether a flash lights a photo.
public enum FlashMode: Hashable, Sendable, CaseIterable {
  /// No flash fires.
  case off
  /// The flash fires.
  case on
  /// The flash fires when the scene is dark.
  case auto
}

extension PhotoExposureSettings {
  /// Checks the settings against what the output allows and what its camera can do.
  ///
  /// - Parameter features: the features of the output.
  /// - Throws: `invalidArgument` for a bracket of too many or too few photos, for settings that contradict each other,
  ///   and for a manual exposure without values; `unsupportedValue` for a flash that the camera does not have, and for
  ///   a value outside the camera's range; `notSupportedInConfiguration` for a setting that the camera does not have.
  func validate(_ features: PhotoFeatures) throws(CaptureError) {
    let shots = features.shots
    if flashMode != .off, bracket.isEmpty, !shots.hasFlash {
      let name = "\(flashMode)".uppercased()
      throw CaptureError(
        .unsupportedValue,
        "The camera has no flash, so flash_mode cannot be \(name); leave it unset. The photo output lists the modes in "
          + "supported_flash_modes.",
        metadata: ["value": name, "available": "OFF"], field: "settings.flash_mode")
    }
    if let manualExposure { try validate(manualExposure, shots, field: "settings.manual_exposure") }
    if mergesBracket { try validateMerge(features) }
    if !bracket.isEmpty { try validateBracket(shots) }
  }

  private func validateBracket(_ shots: ShotCapabilities) throws(CaptureError) {
    guard bracket.count <= PhotoFeatures.maxBracketedPhotos else {
      throw CaptureError(
        .invalidArgument,
        "A bracket has at most \(PhotoFeatures.maxBracketedPhotos) photos; the request asks for \(bracket.count).",
        metadata: ["count": "\(bracket.count)", "limit": "\(PhotoFeatures.maxBracketedPhotos)"],
        field: "settings.bracket")
    }
    guard manualExposure == nil, flashMode == .off else {
      throw CaptureError(
        .invalidArgument,
        "A bracket has exposures of its own and no flash; leave manual_exposure and flash_mode unset.",
        field: "settings.bracket")
    }
    for (index, exposure) in bracket.enumerated() {
      let field = "settings.bracket[\(index)]"
      switch exposure {
      case .unchanged: break
      case .manual(let exposure): try validate(exposure, shots, field: "\(field).manual_exposure")
      case .bias(let bias):
        guard let biases = shots.biases else { throw unsupported("an exposure bias", "\(field).exposure_bias") }
        guard biases.contains(bias) else {
          throw outside(
            "\(bias) EV", "\(biases.lowerBound) to \(biases.upperBound) EV", "\(field).exposure_bias")
        }
      }
    }
  }

  private func validateMerge(_ features: PhotoFeatures) throws(CaptureError) {
    guard bracket.count > 1 else {
      throw CaptureError(
        .invalidArgument,
        "Merging a bracket needs at least two exposures; the bracket has \(bracket.count).",
        metadata: ["count": "\(bracket.count)"], field: "settings.bracket_merging")
    }
    guard features.maxQuality >= .quality else {
      throw CaptureError(
        .unsupportedValue,
        "Merging a bracket needs QUALITY, and the photo output makes photos at most with \(features.maxQuality); raise "
          + "its max_quality_prioritization.",
        metadata: ["max_quality_prioritization": "\(features.maxQuality)"], field: "settings.bracket_merging")
    }
  }

  private func validate(
    _ exposure: ManualExposure, _ shots: ShotCapabilities, field: String
  ) throws(CaptureError) {
    guard exposure.nanoseconds != nil || exposure.gain != nil else {
      throw CaptureError(.invalidArgument, "A manual exposure needs a duration, a gain or both.", field: field)
    }
    if let nanoseconds = exposure.nanoseconds {
      guard let exposures = shots.exposures else {
        throw unsupported("an exposure duration set by hand", "\(field).exposure_duration")
      }
      guard exposures.contains(nanoseconds) else {
        throw outside(
          "\(nanoseconds) ns", "\(exposures.lowerBound) to \(exposures.upperBound) ns", "\(field).exposure_duration")
      }
    }
    if let gain = exposure.gain {
      guard let gains = shots.gains else { throw unsupported("a gain set by hand", "\(field).gain") }
      guard gains.contains(gain) else {
        throw outside("a gain of \(gain)", "\(gains.lowerBound) to \(gains.upperBound)", "\(field).gain")
      }
    }
  }

  private func unsupported(_ what: String, _ field: String) -> CaptureError {
    CaptureError(
      .notSupportedInConfiguration,
      "The camera cannot take a photo with \(what). The photo output lists what the camera can do in exposure_limits.",
      field: field)
  }

  private func outside(_ value: String, _ allowed: String, _ field: String) -> CaptureError {
    CaptureError(
      .unsupportedValue, "The camera can expose with \(allowed); the request asks for \(value).",
      metadata: ["value": value, "allowed": allowed], field: field)
  }
}
