internal import CaptureCore
internal import CaptureSessions
internal import FirstlightAPI
internal import RPCCore
internal import SwiftProtobuf

extension SessionHandlers {
  func configureSession(
    _ request: Firstlight_V1_ConfigureSessionRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_ConfigureSessionResponse {
    let session = try await sessions.session(named: request.name, field: "name")
    // A commit can end a recording as well as a stop can: it may take away the camera or the movie output.
    if !request.validateOnly { try OperatorRight.check(session, context, "configure") }
    let configuration = try SessionConfiguration(request.configuration)
    try await videoStorage.check(configuration, of: session.id)
    let result = try await session.configure(
      configuration, etag: request.etag, validateOnly: request.validateOnly)
    return .with {
      $0.session = result.snapshot.proto
      $0.issues = result.issues.map { issue in
        .with {
          $0.field = issue.field ?? ""
          $0.reason = issue.reason.rawValue
          $0.description_p = issue.message
        }
      }
      $0.reconfigured = result.reconfigured
    }
  }
}
