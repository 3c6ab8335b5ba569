internal import CaptureCore
internal import CaptureSessions
internal import FirstlightAPI
internal import RPCCore
internal import SwiftProtobuf

extension SessionHandlers {
  func createSession(
    _ request: Firstlight_V1_CreateSessionRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_CreateSessionResponse {
    let timeout = request.hasIdleTimeout ? request.idleTimeout.unsignedNanoseconds : 0
    guard let timeout else {
      throw CaptureError(
        .invalidArgument, "The idle timeout is a duration of 0 or more.", field: "idle_timeout")
    }
    let configuration = request.hasConfiguration ? try SessionConfiguration(request.configuration) : nil
    if let configuration { try await videoStorage.check(configuration, of: request.sessionID) }
    let snapshot = try await sessions.create(
      id: request.sessionID, idleTimeout: timeout, configuration: configuration,
      startRequestedAt: request.start ? context.arrival : nil)
    return .with { $0.session = snapshot.proto }
  }
}
