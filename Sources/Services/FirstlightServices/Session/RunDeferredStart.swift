internal import CaptureSessions
internal import FirstlightAPI
internal import RPCCore

extension SessionHandlers {
  func runDeferredStart(
    _ request: Firstlight_V1_RunDeferredStartRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_RunDeferredStartResponse {
    try await sessions.session(named: request.name, field: "name").runDeferredStart()
    return Firstlight_V1_RunDeferredStartResponse()
  }
}
