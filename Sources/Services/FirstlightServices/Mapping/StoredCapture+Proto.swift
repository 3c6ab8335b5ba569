internal import CaptureCore
internal import FirstlightAPI
internal import PhotoCapture
internal import SwiftProtobuf
internal import SystemClocks

extension StoredCapture {
  /// The capture as clients get it. Its photos come without their bytes, and `data_omitted` says so.
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

  /// How a client should show its shutter button.
  var hint: Firstlight_V1_CaptureReadinessHint {
    switch self {
    case .ready: .enable
    case .notReadyMomentarily: .disableUnchanged
    case .sessionNotRunning, .notReadyWaitingForCapture: .disableDimmed
    case .notReadyWaitingForProcessing: .disableSpinner
    }
  }
}

extension PhotoCaptureEvent {
  /// The event as clients get it. A finished photo comes without its bytes, and `data_omitted` says so.
  ///
  /// - Parameter eventID: the ID of the event in the log of the photo output.
  func proto(eventID: String) -> Firstlight_V1_PhotoCaptureEvent {
    var proto = commonFields(eventID: eventID)
    switch kind {
    case .willBeginCapture: proto.willBeginCapture = .with { $0.resolvedSettings = resolved.proto }
    case .willCapturePhoto: proto.willCapturePhoto = .init()
    case .didCapturePhoto(let sequence, let streamID, let input):
      proto.didCapturePhoto = .with {
        $0.sequence = sequence
        $0.streamID = streamID
        $0.input = input
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
  func commonFields(eventID: String) -> Firstlight_V1_PhotoCaptureEvent {
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
