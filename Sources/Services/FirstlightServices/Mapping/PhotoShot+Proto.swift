internal import CaptureCore
internal import FirstlightAPI
internal import PhotoCapture
internal import SwiftProtobuf

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
