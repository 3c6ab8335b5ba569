internal import CaptureCore
internal import CaptureSessions
internal import FirstlightAPI
internal import PhotoCapture
internal import RPCCore
internal import SwiftProtobuf

extension PhotoHandlers {
  func stopTrackingCapture(
    _ request: Firstlight_V1_StopTrackingCaptureRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_StopTrackingCaptureResponse {
    let (_, output) = try await photoOutput(of: request.session)
    let readiness = output.stopTracking(request.uniqueID)
    return .with { $0.readiness = readiness.proto }
  }
}
