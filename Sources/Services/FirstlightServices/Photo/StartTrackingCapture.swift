internal import CaptureCore
internal import CaptureSessions
internal import FirstlightAPI
internal import PhotoCapture
internal import RPCCore
internal import SwiftProtobuf

extension PhotoHandlers {
  func startTrackingCapture(
    _ request: Firstlight_V1_StartTrackingCaptureRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_StartTrackingCaptureResponse {
    let wanted = try PhotoRequest(request.settings, field: "settings")
    let (_, output) = try await photoOutput(of: request.session)
    let readiness = try output.startTracking(wanted, watcher: request.streamToken.isEmpty ? nil : request.streamToken)
    return .with { $0.readiness = readiness.proto }
  }
}
