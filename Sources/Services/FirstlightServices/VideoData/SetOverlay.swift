internal import CaptureCore
internal import CaptureSessions
internal import FirstlightAPI
internal import OverlayDrawing
internal import FrameDelivery
internal import RPCCore

extension VideoDataHandlers {
  func setOverlay(
    _ request: Firstlight_V1_SetOverlayRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_SetOverlayResponse {
    let session = try await sessions.session(named: request.session, field: "session")
    let output = try await session.output(
      request.previewOutput, as: PreviewOutput.self, named: "preview", field: "preview_output")
    try output.setOverlay(try await Overlay(request.overlay, path: "overlay"))
    return Firstlight_V1_SetOverlayResponse()
  }
}
