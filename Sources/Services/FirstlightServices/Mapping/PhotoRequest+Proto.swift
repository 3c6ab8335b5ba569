internal import CaptureCore
internal import FirstlightAPI
internal import PhotoCapture
internal import SwiftProtobuf
internal import SystemClocks

extension PhotoRequest {
  /// Reads a request for a capture.
  ///
  /// - Parameter arrival: when the request reached the daemon.
  /// - Throws: as the initializer for settings, and `invalidArgument` for a shutter time that is not between 1970 and
  ///   2554.
  init(_ proto: Firstlight_V1_CapturePhotoRequest, arrival: MonotonicInstant) throws(CaptureError) {
    try self.init(proto.settings, moment: CaptureMoment(proto), arrival: arrival, field: "settings")
  }

  /// Reads the settings of a photo from a request.
  ///
  /// - Parameters:
  ///   - moment: the moment that the photo is to show; nil means now.
  ///   - arrival: when the request came. Settings that only prepare or track a capture need none.
  ///   - field: the path of the settings in their request, for the fields of errors.
  /// - Throws: `invalidArgument` for an enum value that this version does not know, for a malformed duration, and for a
  ///   bracket with a photo that has no exposure; `unsupportedValue` for an encoding in which no photo can be.
  init(
    _ settings: Firstlight_V1_PhotoSettings, moment: CaptureMoment? = nil, arrival: MonotonicInstant = .epoch,
    field: String
  ) throws(CaptureError) {
    self.init(
      uniqueID: settings.uniqueID, moment: moment, arrival: arrival,
      file: try PhotoFileSettings(settings, field: field),
      quality: settings.hasQualityPrioritization && settings.qualityPrioritization != .unspecified
        ? try PhotoQuality(settings.qualityPrioritization, field: "\(field).quality_prioritization") : nil)
    if settings.hasMaxPhotoDimensions { size = Size(settings.maxPhotoDimensions) }
    exposure = try PhotoExposureSettings(settings, field: field)
    constituents = settings.constituentInputs
  }
}

extension PhotoFileSettings {
  /// Reads the settings of the file, and takes the defaults where a client sent none.
  fileprivate init(_ settings: Firstlight_V1_PhotoSettings, field: String) throws(CaptureError) {
    self.init(encoding: try PhotoEncoding(settings.encoding, field: "\(field).encoding"))
    if settings.hasJpegQuality { jpegQuality = Int(settings.jpegQuality) }
    if settings.hasHeicQuality { heicQuality = Int(settings.heicQuality) }
    if settings.hasEmbeddedThumbnailDimensions { embeddedThumbnail = Size(settings.embeddedThumbnailDimensions) }
  }
}

extension PhotoExposureSettings {
  /// Reads the flash mode, the manual exposure and the bracket.
  fileprivate init(_ settings: Firstlight_V1_PhotoSettings, field: String) throws(CaptureError) {
    self.init()
    flashMode = try FlashMode(settings.flashMode, field: "\(field).flash_mode")
    if settings.hasManualExposure {
      manualExposure = try ManualExposure(settings.manualExposure, field: "\(field).manual_exposure")
    }
    for (index, exposure) in settings.bracket.enumerated() {
      bracket.append(try Shot.Exposure(exposure, field: "\(field).bracket[\(index)]"))
    }
    mergesBracket = try Bool(settings.bracketMerging, field: "\(field).bracket_merging")
  }
}

extension CaptureMoment {
  /// Reads the moment that the photo is to show from a request. Nil means now.
  ///
  /// - Throws: `invalidArgument` for a shutter time that is not between 1970 and 2554.
  fileprivate init?(_ proto: Firstlight_V1_CapturePhotoRequest) throws(CaptureError) {
    switch proto.moment {
    case .viewfinderSequence(let sequence):
      self = .sequence(sequence, streamID: proto.hasViewfinderStreamID ? proto.viewfinderStreamID : nil)
    case .shutterTime(let time):
      guard let instant = WallInstant(time) else {
        throw CaptureError(.invalidArgument, "The shutter time is not a valid time.", field: "shutter_time")
      }
      self = .wallTime(instant)
    case nil: return nil
    }
  }
}

extension FlashMode {
  init(_ proto: Firstlight_V1_FlashMode, field: String) throws(CaptureError) {
    switch proto {
    case .off, .unspecified: self = .off
    case .on: self = .on
    case .auto: self = .auto
    case .UNRECOGNIZED(let value): throw Validation.unknownEnum(value, field: field)
    }
  }

  var proto: Firstlight_V1_FlashMode {
    switch self {
    case .off: .off
    case .on: .on
    case .auto: .auto
    }
  }
}

extension ManualExposure {
  init(_ proto: Firstlight_V1_ManualExposure, field: String) throws(CaptureError) {
    self.init(gain: proto.hasGain ? proto.gain : nil)
    guard proto.hasExposureDuration else { return }
    guard let duration = proto.exposureDuration.unsignedNanoseconds else {
      throw CaptureError(.invalidArgument, "An exposure is a duration above 0.", field: "\(field).exposure_duration")
    }
    nanoseconds = duration
  }

  var proto: Firstlight_V1_ManualExposure {
    .with {
      if let nanoseconds { $0.exposureDuration = .init(nanoseconds: Int64(clamping: nanoseconds)) }
      if let gain { $0.gain = gain }
    }
  }
}

extension Bool {
  /// Reads from a request whether the exposures of a bracket are merged.
  ///
  /// - Throws: `invalidArgument` for a way of merging that this version does not know.
  init(_ proto: Firstlight_V1_BracketMerging, field: String) throws(CaptureError) {
    switch proto {
    case .unspecified, .none: self = false
    case .exposureFusion: self = true
    case .UNRECOGNIZED(let value): throw Validation.unknownEnum(value, field: field)
    }
  }
}

extension Shot.Exposure {
  init(_ proto: Firstlight_V1_BracketedPhotoSettings, field: String) throws(CaptureError) {
    switch proto.exposure {
    case .exposureBias(let bias): self = .bias(bias)
    case .manualExposure(let exposure):
      self = .manual(try ManualExposure(exposure, field: "\(field).manual_exposure"))
    case nil:
      throw CaptureError(
        .invalidArgument, "Each photo of a bracket needs an exposure_bias or a manual_exposure.", field: field)
    }
  }
}

extension ShotCapabilities {
  var flashModes: [Firstlight_V1_FlashMode] { hasFlash ? [.off, .on, .auto] : [.off] }

  var exposureLimits: Firstlight_V1_ExposureLimits {
    .with {
      if let exposures {
        $0.minExposureDuration = .init(nanoseconds: Int64(clamping: exposures.lowerBound))
        $0.maxExposureDuration = .init(nanoseconds: Int64(clamping: exposures.upperBound))
      }
      if let gains { ($0.minGain, $0.maxGain) = (gains.lowerBound, gains.upperBound) }
      if let biases { ($0.minExposureBias, $0.maxExposureBias) = (biases.lowerBound, biases.upperBound) }
    }
  }
}
