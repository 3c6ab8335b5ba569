internal import CaptureSessions
internal import FirstlightAPI
internal import RPCCore
internal import SwiftProtobuf

extension SessionHandlers {
  func startSession(
    _ request: Firstlight_V1_StartSessionRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_StartSessionResponse {
    let session = try await sessions.session(named: request.name, field: "name")
    let snapshot = try await session.start(requestedAt: context.arrival)
    return .with { $0.session = snapshot.proto }
  }
}
