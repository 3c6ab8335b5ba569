internal import CaptureCore
internal import FirstlightAPI
internal import GRPCTransport
internal import Imaging
internal import PhotoCapture
internal import SwiftProtobuf

extension PhotoRequest {
  init(_ proto: Firstlight_V1_CapturePhotoRequest, arrivalNanoseconds: UInt64) throws(CaptureError) {
    let settings = proto.settings
    self.init(
      uniqueID: settings.uniqueID, moment: try CaptureMoment(proto), arrivalNanoseconds: arrivalNanoseconds,
      encoding: try PhotoEncoding(settings.encoding))
    if settings.hasJpegQuality { jpegQuality = Int(settings.jpegQuality) }
    if settings.hasHeicQuality { heicQuality = Int(settings.heicQuality) }
    if settings.hasEmbeddedThumbnailDimensions { embeddedThumbnail = Size(settings.embeddedThumbnailDimensions) }
  }
}

extension CaptureMoment {
  /// Nil means now.
  fileprivate init?(_ proto: Firstlight_V1_CapturePhotoRequest) throws(CaptureError) {
    switch proto.moment {
    case .viewfinderSequence(let sequence):
      self = .sequence(sequence, streamID: proto.hasViewfinderStreamID ? proto.viewfinderStreamID : nil)
    case .shutterTime(let time):
      guard let instant = time.wallNanoseconds else {
        throw CaptureError(.invalidArgument, "The shutter time is not a valid time.", field: "shutter_time")
      }
      self = .wallTime(instant)
    case nil: return nil
    }
  }
}

extension PhotoCaptureEvent {
  /// A finished photo goes without its bytes here, marked as omitted.
  var proto: Firstlight_V1_PhotoCaptureEvent {
    .with {
      $0.uniqueID = uniqueID
      $0.monotonicTimeNs = monotonicNanoseconds
      switch kind {
      case .willBeginCapture(let settings): $0.willBeginCapture = .with { $0.resolvedSettings = settings.proto }
      case .willCapturePhoto: $0.willCapturePhoto = .init()
      case .didCapturePhoto(let sequence, let streamID):
        $0.didCapturePhoto = .with {
          $0.sequence = sequence
          $0.streamID = streamID
        }
      case .didFinishProcessingPhoto(.success(let photo)):
        var omitted = photo.proto
        omitted.dataOmitted = true
        $0.didFinishProcessingPhoto = .with { $0.photo = omitted }
      case .didFinishProcessingPhoto(.failure(let error)):
        $0.didFinishProcessingPhoto = .with { $0.error = error.status }
      case .didFinishCapture(let error):
        $0.didFinishCapture = .with { if let error { $0.error = error.status } }
      }
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
    }
  }
}

extension Photo {
  /// Everything but `data`.
  var proto: Firstlight_V1_Photo {
    .with {
      $0.sequence = sequence
      $0.streamID = streamID
      $0.captureTime = .init(wallNanoseconds: time.wallNanoseconds)
      $0.monotonicTimeNs = time.monotonicNanoseconds
      $0.timestampSource = time.source.proto
      $0.encoding = encoding.proto
      $0.width = UInt32(picture.layout.size.width)
      $0.height = UInt32(picture.layout.size.height)
      $0.zeroShutterLagUsed = zeroShutterLagUsed
      if let shutterLagNanoseconds { $0.shutterLag = .init(nanoseconds: shutterLagNanoseconds) }
      $0.nearestFrame = isNearestFrame
      $0.byteCount = UInt64(picture.buffer.count)
      $0.configRevision = configRevision
      if encoding == .uncompressed { $0.describe(picture.layout) }
    }
  }
}

extension StoredCapture {
  var proto: Firstlight_V1_Capture {
    .with {
      $0.name = "captures/\(uniqueID)"
      switch state {
      case .inProgress: $0.state = .inProgress
      case .finished(let photo):
        $0.state = .finished
        $0.photo = photo.proto
        $0.photo.dataOmitted = true
      case .failed(let error):
        $0.state = .failed
        $0.error = error.status
      }
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
}

/// The one event that carries pixels, written around them.
enum PhotoMessage {
  static func make(
    _ photo: Firstlight_V1_Photo, uniqueID: String, monotonicNanoseconds: UInt64, data: FrameBuffer
  ) throws -> LentMessage {
    let event = Firstlight_V1_PhotoCaptureEvent.with {
      $0.uniqueID = uniqueID
      $0.monotonicTimeNs = monotonicNanoseconds
    }
    // CapturePhotoResponse.event { …, did_finish_processing_photo { photo { …, data } } }
    return try FrameSerializer.message(
      photo, at: .init(field: 1), .init(field: 6, siblings: try event.serializedBytes()), .init(field: 1),
      dataField: FrameField.data, data: data)
  }
}
