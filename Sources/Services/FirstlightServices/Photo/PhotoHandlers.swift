internal import CaptureSessions
internal import FirstlightAPI
internal import PhotoCapture
internal import RPCCore

/// The handlers of PhotoService. The handler of each method is in a file of its own in this folder.
struct PhotoHandlers: Sendable {
  let sessions: SessionRegistry
  let captures: CaptureStore

  func register(on router: inout RPCRouter) {
    router.serverStreaming(Firstlight_V1_PhotoService.capturePhoto, capturePhoto)
    router.unary(Firstlight_V1_PhotoService.getCapture, getCapture)
    router.unary(Firstlight_V1_PhotoService.listCaptures, listCaptures)
    router.serverStreaming(Firstlight_V1_PhotoService.downloadCapture, downloadCapture)
    router.serverStreaming(Firstlight_V1_PhotoService.watchReadiness, watchReadiness)
    router.unary(Firstlight_V1_PhotoService.startTrackingCapture, startTrackingCapture)
    router.unary(Firstlight_V1_PhotoService.stopTrackingCapture, stopTrackingCapture)
    router.serverStreaming(Firstlight_V1_PhotoService.watchCaptures, watchCaptures)
    router.unary(Firstlight_V1_PhotoService.preparePhotoSettings, preparePhotoSettings)
  }

  /// Returns a session and its photo output.
  ///
  /// - Parameter session: `sessions/{id}`, from the request's field `session`.
  /// - Throws: `invalidArgument` for another name; `sessionNotFound`, `shuttingDown`, `outputNotFound`.
  func photoOutput(of session: String) async throws -> (CaptureSession, PhotoOutput) {
    let session = try await sessions.session(named: session, field: "session")
    return (session, try await session.output("", as: PhotoOutput.self, named: "photo"))
  }
}
