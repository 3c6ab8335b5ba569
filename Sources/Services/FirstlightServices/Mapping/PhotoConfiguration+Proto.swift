internal import CaptureCore
internal import CaptureSessions
internal import FirstlightAPI
internal import PhotoCapture
internal import SwiftProtobuf

extension SessionConfiguration.Photo {
  init(_ proto: Firstlight_V1_PhotoOutput) throws(CaptureError) {
    self.init(
      id: try outputID(proto.id, field: "configuration.photo.id"),
      deferredStart: proto.hasDeferredStartEnabled ? proto.deferredStartEnabled : nil,
      zeroShutterLag: proto.hasZeroShutterLagEnabled ? proto.zeroShutterLagEnabled : nil)
    if proto.hasZeroShutterLagWindow {
      guard let window = proto.zeroShutterLagWindow.unsignedNanoseconds else {
        throw CaptureError(
          .invalidArgument, "The zero shutter lag window is a duration from 0 to 5 s.",
          field: "configuration.photo.zero_shutter_lag_window")
      }
      zeroShutterLagWindow = window
    }
    if proto.hasMaxPhotoDimensions { maxSize = Size(proto.maxPhotoDimensions) }
    if proto.hasMaxQualityPrioritization, proto.maxQualityPrioritization != .unspecified {
      maxQuality = try PhotoQuality(
        proto.maxQualityPrioritization, field: "configuration.photo.max_quality_prioritization")
    }
    if proto.hasResponsiveCaptureEnabled { responsiveCapture = proto.responsiveCaptureEnabled }
    if proto.hasFastCapturePrioritizationEnabled { fastCapturePrioritization = proto.fastCapturePrioritizationEnabled }
    if proto.hasConstituentPhotoDeliveryEnabled { constituentDelivery = proto.constituentPhotoDeliveryEnabled }
    if proto.hasDepthDataDeliveryEnabled { depthDelivery = proto.depthDataDeliveryEnabled }
  }

  var proto: Firstlight_V1_PhotoOutput {
    .with {
      $0.id = id ?? ""
      if let deferredStart { $0.deferredStartEnabled = deferredStart }
      if let zeroShutterLag { $0.zeroShutterLagEnabled = zeroShutterLag }
      if let maxSize { $0.maxPhotoDimensions = maxSize.proto }
      if let maxQuality { $0.maxQualityPrioritization = maxQuality.proto }
      if let responsiveCapture { $0.responsiveCaptureEnabled = responsiveCapture }
      if let fastCapturePrioritization { $0.fastCapturePrioritizationEnabled = fastCapturePrioritization }
      if let constituentDelivery { $0.constituentPhotoDeliveryEnabled = constituentDelivery }
      if let depthDelivery { $0.depthDataDeliveryEnabled = depthDelivery }
      if let window = zeroShutterLagWindow { $0.zeroShutterLagWindow = .init(nanoseconds: Int64(clamping: window)) }
    }
  }
}

extension ResolvedConfiguration {
  func photoOutput(_ photo: Photo, of output: Output) -> Firstlight_V1_PhotoOutput {
    .with {
      $0.id = output.id
      $0.deferredStartEnabled = output.deferredStart
      $0.zeroShutterLagEnabled = photo.features.zeroShutterLag
      $0.zeroShutterLagWindow = .init(nanoseconds: Int64(clamping: zeroShutterLagWindow))
      $0.maxQualityPrioritization = photo.features.maxQuality.proto
      $0.responsiveCaptureEnabled = photo.features.responsiveCapture
      $0.fastCapturePrioritizationEnabled = photo.features.fastCapturePrioritization
      $0.constituentPhotoDeliveryEnabled = photo.constituentDelivery
      $0.depthDataDeliveryEnabled = false
      if let size = photo.features.maxSize ?? photo.features.shots.sizes.first { $0.maxPhotoDimensions = size.proto }
    }
  }

  func capabilities(_ photo: Photo) -> Firstlight_V1_PhotoCapabilities {
    .with {
      $0.zeroShutterLagSupported = photo.supportsZeroShutterLag
      $0.responsiveCaptureSupported = photo.supportsResponsiveCapture
      $0.fastCapturePrioritizationSupported = photo.supportsFastCapturePrioritization
      $0.supportedMaxQualityPrioritization = photo.supportedQuality.proto
      $0.maxCapturesInFlight = UInt32(photo.features.maxInFlight)
      $0.frameMemoryBytes = UInt64(frameMemory)
      $0.availableEncodings = PhotoEncoding.available.map(\.proto)
      $0.supportedFlashModes = photo.features.shots.flashModes
      $0.exposureLimits = photo.features.shots.exposureLimits
      $0.supportedMaxPhotoDimensions = photo.features.shots.sizes.map(\.proto)
      $0.constituentPhotoDeliverySupported = supportsConstituentDelivery
      $0.maxBracketedPhotoCount = UInt32(photo.features.shots.maxBracketedPhotos)
    }
  }
}

extension PhotoQuality {
  /// Reads a quality from a request. An unspecified quality is `balanced`.
  ///
  /// - Throws: `invalidArgument` for a quality that this version does not know; the error names `field`.
  init(_ proto: Firstlight_V1_PhotoQualityPrioritization, field: String) throws(CaptureError) {
    switch proto {
    case .speed: self = .speed
    case .balanced, .unspecified: self = .balanced
    case .quality: self = .quality
    case .UNRECOGNIZED(let value): throw Validation.unknownEnum(value, field: field)
    }
  }

  var proto: Firstlight_V1_PhotoQualityPrioritization {
    switch self {
    case .speed: .speed
    case .balanced: .balanced
    case .quality: .quality
    }
  }
}
