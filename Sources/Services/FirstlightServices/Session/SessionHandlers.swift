internal import CaptureCore
internal import CaptureSessions

/// The handlers of SessionService. The handler of each method is in a file of its own in this folder.
struct SessionHandlers: SessionServiceHandler {
  let sessions: SessionRegistry
  let videoStorage: VideoStorageRule
}

extension SessionRegistry {
  /// Returns the session with the resource name `name`, which came in the request's field `field`.
  ///
  /// - Throws: `invalidArgument` when `name` is not `sessions/{id}`; `sessionNotFound`, `shuttingDown`.
  func session(named name: String, field: String) throws(CaptureError) -> CaptureSession {
    try session(try ResourceName.id(in: name, "sessions", field: field))
  }

  /// Returns a session as ``session(named:field:)`` does, but waits a moment for a session that does not exist yet; see
  /// ``expectedSession(_:)``.
  ///
  /// - Throws: as ``session(named:field:)`` does.
  func expectedSession(named name: String, field: String) async throws(CaptureError) -> CaptureSession {
    try await expectedSession(try ResourceName.id(in: name, "sessions", field: field))
  }
}
