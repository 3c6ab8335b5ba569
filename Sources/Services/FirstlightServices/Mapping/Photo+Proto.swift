internal import CaptureCore
internal import FirstlightAPI
internal import Imaging
internal import PhotoCapture
internal import RPCCore
internal import SwiftProtobuf
internal import SystemClocks

extension PhotoRequest {
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
      encoding: try PhotoEncoding(settings.encoding, field: "\(field).encoding"),
      quality: settings.hasQualityPrioritization && settings.qualityPrioritization != .unspecified
        ? try PhotoQuality(settings.qualityPrioritization, field: "\(field).quality_prioritization") : nil)
    if settings.hasJpegQuality { jpegQuality = Int(settings.jpegQuality) }
    if settings.hasHeicQuality { heicQuality = Int(settings.heicQuality) }
    if settings.hasMaxPhotoDimensions { size = Size(settings.maxPhotoDimensions) }
    flashMode = try FlashMode(settings.flashMode, field: "\(field).flash_mode")
    if settings.hasManualExposure {
      manualExposure = try ManualExposure(settings.manualExposure, field: "\(field).manual_exposure")
    }
    for (index, exposure) in settings.bracket.enumerated() {
      bracket.append(try Shot.Exposure(exposure, field: "\(field).bracket[\(index)]"))
    }
    mergesBracket = try Bool(settings.bracketMerging, field: "\(field).bracket_merging")
    if settings.hasEmbeddedThumbnailDimensions { embeddedThumbnail = Size(settings.embeddedThumbnailDimensions) }
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

extension PhotoCaptureEvent {
  /// The event as clients get it. A finished photo comes without its bytes, and `data_omitted` says so.
  ///
  /// - Parameter eventID: the ID of the event in the log of the photo output.
  func proto(eventID: String) -> Firstlight_V1_PhotoCaptureEvent {
    var proto = frame(eventID: eventID)
    switch kind {
    case .willBeginCapture: proto.willBeginCapture = .with { $0.resolvedSettings = resolved.proto }
    case .willCapturePhoto: proto.willCapturePhoto = .init()
    case .didCapturePhoto(let sequence, let streamID):
      proto.didCapturePhoto = .with {
        $0.sequence = sequence
        $0.streamID = streamID
      }
    case .didFinishProcessingPhoto(.success(let photo)):
      proto.didFinishProcessingPhoto = .with { $0.photo = photo.omitted }
    case .didFinishProcessingPhoto(.failure(let error)):
      proto.didFinishProcessingPhoto = .with { $0.error = error.status }
    case .didFinishCapture(let error):
      proto.didFinishCapture = .with { if let error { $0.error = error.status } }
    }
    return proto
  }

  /// The fields that every event has: all except the field that says what happened.
  fileprivate func frame(eventID: String) -> Firstlight_V1_PhotoCaptureEvent {
    .with {
      $0.uniqueID = uniqueID
      $0.monotonicTimeNs = time.nanoseconds
      $0.resolvedSettings = resolved.proto
      $0.eventID = eventID
    }
  }
}

extension ResolvedPhotoSettings {
  fileprivate var proto: Firstlight_V1_ResolvedPhotoSettings {
    .with {
      $0.encoding = encoding.proto
      if let size { $0.size = size.proto }
      if let thumbnailSize { $0.embeddedThumbnailDimensions = thumbnailSize.proto }
      $0.zeroShutterLagUsed = zeroShutterLagUsed
      $0.qualityPrioritization = quality.proto
      $0.fusedFrameCount = UInt32(fusedFrameCount)
      $0.expectedPhotoCount = UInt32(photoCount)
      $0.flashEnabled = isFlashOn
      if let manualExposure { $0.manualExposure = manualExposure.proto }
      if let range = processingNanoseconds {
        $0.processingTimeRange = .with {
          $0.minDuration = .init(nanoseconds: Int64(clamping: range.lowerBound))
          $0.maxDuration = .init(nanoseconds: Int64(clamping: range.upperBound))
        }
      }
    }
  }
}

extension PhotoQuality {
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

extension FrameMatch {
  fileprivate var proto: Firstlight_V1_FrameMatch {
    switch self {
    case .exact: .exact
    case .nearest: .nearest
    case .damaged: .damaged
    }
  }
}

extension PhotoPhases {
  fileprivate var proto: Firstlight_V1_PhotoPhases {
    .with {
      $0.captureBeginNs = captureBegin.nanoseconds
      $0.captureEndNs = captureEnd.nanoseconds
      $0.processBeginNs = processBegin.nanoseconds
      $0.processEndNs = processEnd.nanoseconds
      $0.encodeBeginNs = encodeBegin.nanoseconds
      $0.encodeEndNs = encodeEnd.nanoseconds
    }
  }
}

extension Photo {
  /// All fields except `data`.
  var proto: Firstlight_V1_Photo {
    .with {
      $0.sequence = sequence
      $0.streamID = streamID
      $0.captureTime = .init(time.wall)
      $0.monotonicTimeNs = time.monotonic.nanoseconds
      $0.timestampSource = time.source.proto
      $0.encoding = encoding.proto
      $0.width = UInt32(picture.layout.size.width)
      $0.height = UInt32(picture.layout.size.height)
      $0.zeroShutterLagUsed = zeroShutterLagUsed
      if let shutterLagNanoseconds { $0.shutterLag = .init(nanoseconds: shutterLagNanoseconds) }
      $0.frameMatch = match.proto
      $0.byteCount = UInt64(byteCount)
      $0.configRevision = configRevision
      if encoding == .uncompressed { $0.describe(picture.layout) }
      $0.requestReceiveToPin = .init(nanoseconds: Int64(clamping: pinNanoseconds))
      $0.phases = phases.proto
      $0.fusedFrameCount = UInt32(fusedFrameCount)
      $0.qualityPrioritization = quality.proto
      if let fired = sensor.isFlashOn { $0.flashFired = fired }
      if let exposure = sensor.exposureNanoseconds {
        $0.exposureDuration = .init(nanoseconds: Int64(clamping: exposure))
      }
      if let gain = sensor.gain { $0.gain = gain }
      if let bias = sensor.exposureBias { $0.exposureBias = bias }
      if let bracketIndex { $0.bracketIndex = UInt32(bracketIndex) }
    }
  }

  fileprivate var omitted: Firstlight_V1_Photo {
    var proto = proto
    proto.dataOmitted = true
    return proto
  }
}

extension StoredCapture {
  var proto: Firstlight_V1_Capture {
    .with {
      $0.name = "captures/\(uniqueID)"
      $0.session = "sessions/\(sessionID)"
      $0.requestTime = .init(requestTime)
      $0.state = state.proto
      switch state {
      case .inProgress: break
      case .finished(let photos):
        if let first = photos.first { $0.photo = first.omitted }
        $0.bracketedPhotos = photos.filter { $0.bracketIndex != nil }.map(\.omitted)
      case .failed(let error): $0.error = error.status
      }
    }
  }
}

extension StoredCapture.State {
  var proto: Firstlight_V1_Capture.State {
    switch self {
    case .inProgress: .inProgress
    case .finished: .finished
    case .failed: .failed
    }
  }
}

extension CaptureReadiness {
  var proto: Firstlight_V1_CaptureReadiness {
    switch self {
    case .sessionNotRunning: .sessionNotRunning
    case .ready: .ready
    case .notReadyMomentarily: .notReadyMomentarily
    case .notReadyWaitingForCapture: .notReadyWaitingForCapture
    case .notReadyWaitingForProcessing: .notReadyWaitingForProcessing
    }
  }

  var hint: Firstlight_V1_CaptureReadinessHint {
    switch self {
    case .ready: .enable
    case .notReadyMomentarily: .disableUnchanged
    case .sessionNotRunning, .notReadyWaitingForCapture: .disableDimmed
    case .notReadyWaitingForProcessing: .disableSpinner
    }
  }
}

/// Makes the message of the event that a photo is finished. No other event contains pixels. The message refers to the
/// photo's memory and does not copy it.
enum PhotoMessage {
  /// Makes the message of `event`, which must be the finished processing of `photo`.
  ///
  /// - Parameter eventID: the ID of the event in the log of the photo output.
  static func make(_ event: PhotoCaptureEvent, eventID: String, _ photo: Photo) throws -> LentMessage {
    try make(photo.proto, in: event.frame(eventID: eventID), data: photo.picture.buffer)
  }

  /// Makes the message of a finished photo.
  ///
  /// - Parameters:
  ///   - photo: the photo without its bytes.
  ///   - event: the event without the photo.
  ///   - data: the bytes of the photo.
  static func make(
    _ photo: Firstlight_V1_Photo, in event: Firstlight_V1_PhotoCaptureEvent, data: FrameBuffer
  ) throws -> LentMessage {
    // The levels are CapturePhotoResponse.event { …, did_finish_processing_photo { photo { …, data } } }.
    try FrameSerializer.message(
      photo, at: .init(field: 1), in: [.init(field: 1), .init(field: 6, siblings: try event.serializedBytes())],
      dataField: FrameField.data, data: data)
  }
}
