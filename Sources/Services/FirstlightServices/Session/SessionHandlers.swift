internal import CaptureCore
internal import CaptureSessions
internal import FirstlightAPI
internal import RPCCore

/// The handlers of SessionService. The handler of each method is in a file of its own in this folder.
struct SessionHandlers: Sendable {
  let sessions: SessionRegistry
  let videoStorage: VideoStorageRule
  let changes: ChangeLog

  func register(on router: inout RPCRouter) {
    router.unary(Firstlight_V1_SessionService.createSession, loggedBy: changes, createSession)
    router.unary(Firstlight_V1_SessionService.getSession, getSession)
    router.unary(Firstlight_V1_SessionService.listSessions, listSessions)
    router.unary(Firstlight_V1_SessionService.deleteSession, loggedBy: changes, deleteSession)
    router.unary(Firstlight_V1_SessionService.configureSession, loggedBy: changes, configureSession)
    router.unary(Firstlight_V1_SessionService.startSession, loggedBy: changes, isStart: true, startSession)
    router.unary(Firstlight_V1_SessionService.stopSession, loggedBy: changes, stopSession)
    router.unary(Firstlight_V1_SessionService.runDeferredStart, runDeferredStart)
    router.serverStreaming(Firstlight_V1_SessionService.watchSession, watchSession)
    router.serverStreaming(Firstlight_V1_SessionService.watchAudioLevels, watchAudioLevels)
    router.unary(Firstlight_V1_SessionService.getLaunchTimeline, getLaunchTimeline)
    router.unary(Firstlight_V1_SessionService.suggestLowerCost, suggestLowerCost)
  }
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
