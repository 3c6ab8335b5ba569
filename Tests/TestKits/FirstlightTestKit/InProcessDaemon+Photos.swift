package import FirstlightAPI
package import RPCCore
internal import SwiftProtobuf

/// The calls for photos.
extension InProcessDaemon {
  /// Takes a photo, and returns the events of its capture.
  ///
  /// - Throws: the error of the call.
  package func photo(
    _ session: String, _ settings: Firstlight_V1_PhotoSettings = .init()
  ) async throws -> [Firstlight_V1_PhotoCaptureEvent] {
    let events: ResponseStream<Firstlight_V1_CapturePhotoResponse> = try stream(
      Firstlight_V1_PhotoService.capturePhoto, Firstlight_V1_CapturePhotoRequest.capture(session, settings))
    var told: [Firstlight_V1_PhotoCaptureEvent] = []
    for try await response in events { told.append(response.event) }
    return told
  }

  /// The captures that the daemon lists.
  ///
  /// - Throws: the error of the call.
  package func captures(
    _ change: (inout Firstlight_V1_ListCapturesRequest) -> Void = { _ in }
  ) async throws -> Firstlight_V1_ListCapturesResponse {
    try await call(
      Firstlight_V1_PhotoService.listCaptures, Firstlight_V1_ListCapturesRequest.with { change(&$0) })
  }

  /// The error of a photo that is refused.
  ///
  /// - Throws: ``NotRefused`` when it is not.
  package func refusalOfPhoto(
    _ session: String, _ settings: Firstlight_V1_PhotoSettings
  ) async throws -> RPCError {
    try await refusal(
      of: Firstlight_V1_PhotoService.capturePhoto, Firstlight_V1_CapturePhotoRequest.capture(session, settings))
  }
}

extension Firstlight_V1_CapturePhotoRequest {
  /// A request for a photo.
  package static func capture(_ session: String, _ settings: Firstlight_V1_PhotoSettings = .init()) -> Self {
    .with {
      $0.session = session
      $0.settings = settings
    }
  }
}
