internal import FirstlightAPI
internal import PhotoCapture
internal import SwiftProtobuf

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
