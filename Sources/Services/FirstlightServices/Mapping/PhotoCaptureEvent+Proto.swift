internal import CaptureCore
internal import FirstlightAPI
internal import PhotoCapture
internal import SwiftProtobuf
internal import SystemClocks

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
