internal import CaptureCore

/// What a request asks of the camera itself.
extension PhotoRequest {
  /// Photos that the capture will have.
  public var photoCount: Int { mergesBracket ? 1 : max(1, bracket.count) }

  /// Which exposure of the bracket stands for all of them: the one nearest to automatic exposure, else that in the middle.
  var bracketReference: Int {
    let distances = bracket.map { if case .bias(let bias) = $0 { abs(bias) } else { Double.infinity } }
    guard let least = distances.min(), least.isFinite else { return bracket.count / 2 }
    return distances.firstIndex(of: least)!
  }

  /// What the camera is to be set to; nil when nothing.
  ///
  /// - Parameter flash: what the flash mode became.
  func shot(flash: Bool, _ shots: ShotCapabilities) -> Shot? {
    let larger = size == shots.sizes.first ? nil : size
    if !bracket.isEmpty { return Shot(steps: bracket.map { Shot.Step(exposure: $0) }, size: larger) }
    let exposure = manualExposure.map { Shot.Exposure.manual($0) } ?? .unchanged
    guard flash || exposure != .unchanged || larger != nil else { return nil }
    return Shot(steps: [Shot.Step(exposure: exposure, flash: flash)], size: larger)
  }

  /// Whether a frame captured before the request may be used, as far as the request says. Not when something has to happen
  /// for the photo.
  var mayUseRing: Bool { manualExposure == nil && bracket.isEmpty && flashMode != .on }

  func validateShot(_ features: PhotoFeatures) throws(CaptureError) {
    let shots = features.shots
    if let size { try validate(size, features) }
    if flashMode != .off, bracket.isEmpty, !shots.hasFlash {
      let name = "\(flashMode)".uppercased()
      throw CaptureError(
        .unsupportedValue,
        "The camera has no flash, so flash_mode cannot be \(name); leave it unset. supported_flash_modes of the photo "
          + "output tells.",
        metadata: ["value": name, "available": "OFF"], field: "settings.flash_mode")
    }
    if let manualExposure { try validate(manualExposure, shots, field: "settings.manual_exposure") }
    if mergesBracket { try validateMerge(features) }
    guard !bracket.isEmpty else { return }
    guard bracket.count <= PhotoFeatures.maxBracketedPhotos else {
      throw CaptureError(
        .invalidArgument,
        "A bracket has at most \(PhotoFeatures.maxBracketedPhotos) photos; \(bracket.count) were asked for.",
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
        guard let biases = shots.biases else {
          throw unsupported("its exposure made brighter or darker", "\(field).exposure_bias")
        }
        guard biases.contains(bias) else {
          throw outside("\(bias) EV", "\(biases.lowerBound) to \(biases.upperBound) EV", "\(field).exposure_bias")
        }
      }
    }
  }

  private func validateMerge(_ features: PhotoFeatures) throws(CaptureError) {
    guard bracket.count > 1 else {
      throw CaptureError(
        .invalidArgument, "There is nothing to merge in a bracket of \(bracket.count); ask for two exposures or more.",
        metadata: ["count": "\(bracket.count)"], field: "settings.bracket_merging")
    }
    guard features.maxQuality >= .quality else {
      throw CaptureError(
        .unsupportedValue,
        "The photo output makes photos at most with \(features.maxQuality), and merging a bracket is QUALITY; raise "
          + "its max_quality_prioritization.",
        metadata: ["max_quality_prioritization": "\(features.maxQuality)"], field: "settings.bracket_merging")
    }
  }

  private func validate(_ size: Size, _ features: PhotoFeatures) throws(CaptureError) {
    let most = (features.maxSize ?? features.shots.sizes.first)?.pixelCount ?? 0
    let allowed = features.shots.sizes.filter { $0.pixelCount <= most }
    guard !allowed.contains(size) else { return }
    let names = allowed.map { "\($0)" }.joined(separator: ", ")
    throw CaptureError(
      .unsupportedValue,
      "Photos of this output measure \(names); \(size) was asked for. For larger ones raise its max_photo_dimensions.",
      metadata: ["value": "\(size)", "allowed": names], field: "settings.max_photo_dimensions")
  }

  private func validate(
    _ exposure: ManualExposure, _ shots: ShotCapabilities, field: String
  ) throws(CaptureError) {
    guard exposure.nanoseconds != nil || exposure.gain != nil else {
      throw CaptureError(.invalidArgument, "A manual exposure needs a duration, a gain or both.", field: field)
    }
    if let nanoseconds = exposure.nanoseconds {
      guard let exposures = shots.exposures else { throw unsupported("its exposure set", "\(field).exposure_duration") }
      guard exposures.contains(nanoseconds) else {
        throw outside(
          "\(nanoseconds) ns", "\(exposures.lowerBound) to \(exposures.upperBound) ns", "\(field).exposure_duration")
      }
    }
    if let gain = exposure.gain {
      guard let gains = shots.gains else { throw unsupported("its gain set", "\(field).gain") }
      guard gains.contains(gain) else {
        throw outside("a gain of \(gain)", "\(gains.lowerBound) to \(gains.upperBound)", "\(field).gain")
      }
    }
  }

  private func unsupported(_ what: String, _ field: String) -> CaptureError {
    CaptureError(
      .notSupportedInConfiguration,
      "The camera cannot have \(what) for a photo; exposure_limits of the photo output tells what can be.", field: field
    )
  }

  private func outside(_ value: String, _ allowed: String, _ field: String) -> CaptureError {
    CaptureError(
      .unsupportedValue, "The camera exposes with \(allowed); \(value) was asked for.",
      metadata: ["value": value, "allowed": allowed], field: field)
  }
}
