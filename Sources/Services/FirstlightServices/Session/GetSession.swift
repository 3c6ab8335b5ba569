internal import CaptureSessions
internal import FirstlightAPI
internal import RPCCore
internal import SwiftProtobuf

extension SessionHandlers {
  func getSession(
    _ request: Firstlight_V1_GetSessionRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_GetSessionResponse {
    let snapshot = try await sessions.session(named: request.name, field: "name").snapshot()
    return .with { $0.session = snapshot.proto }
  }
}
