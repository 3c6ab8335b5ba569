internal import CaptureSessions
internal import PhotoCapture

/// The handlers of PhotoService. The handler of each method is in a file of its own in this folder.
struct PhotoHandlers: PhotoServiceHandler {
  let sessions: SessionRegistry
  let captures: CaptureStore

  /// Returns a session and its photo output.
  ///
  /// - Parameter session: `sessions/{id}`, from the request's field `session`.
  /// - Throws: `invalidArgument` for another name; `sessionNotFound`, `shuttingDown`, `outputNotFound`.
  func photoOutput(of session: String) async throws -> (CaptureSession, PhotoOutput) {
    let session = try await sessions.session(named: session, field: "session")
    return (session, try await session.output("", as: PhotoOutput.self, named: "photo"))
  }
}
