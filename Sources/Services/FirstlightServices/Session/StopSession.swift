internal import CaptureSessions
internal import FirstlightAPI
internal import RPCCore
internal import SwiftProtobuf

extension SessionHandlers {
  func stopSession(
    _ request: Firstlight_V1_StopSessionRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_StopSessionResponse {
    let session = try await sessions.session(named: request.name, field: "name")
    try OperatorRight.check(session, context, "stop")
    let snapshot = try await session.stop(etag: request.etag)
    return .with { $0.session = snapshot.proto }
  }
}
