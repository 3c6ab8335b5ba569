internal import CaptureSessions
internal import FirstlightAPI
internal import RPCCore

extension SessionHandlers {
  func deleteSession(
    _ request: Firstlight_V1_DeleteSessionRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_DeleteSessionResponse {
    try await sessions.delete(try ResourceName.id(in: request.name, "sessions", field: "name"), etag: request.etag)
    return Firstlight_V1_DeleteSessionResponse()
  }
}
