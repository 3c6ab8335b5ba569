internal import CaptureCore
internal import CaptureSessions
internal import FirstlightAPI
internal import PhotoCapture
internal import RPCCore
internal import SwiftProtobuf

extension PhotoHandlers {
  func preparePhotoSettings(
    _ request: Firstlight_V1_PreparePhotoSettingsRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_PreparePhotoSettingsResponse {
    guard request.settings.count <= 16 else {
      throw CaptureError(
        .invalidArgument, "One call prepares at most 16 settings, not \(request.settings.count).",
        metadata: ["count": "\(request.settings.count)", "allowed": "16"], field: "settings")
    }
    var wanted: [PhotoRequest] = []
    for (index, settings) in request.settings.enumerated() {
      wanted.append(try PhotoRequest(settings, field: "settings[\(index)]"))
    }
    let (session, output) = try await photoOutput(of: request.session)
    let prepared = try await session.idle.whileAttached { [wanted] in try await output.prepare(for: wanted) }
    return .with { $0.preparation = prepared ? .done : .superseded }
  }
}
