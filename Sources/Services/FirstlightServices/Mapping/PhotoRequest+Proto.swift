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
