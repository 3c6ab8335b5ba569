internal import CaptureCore
internal import CaptureSessions
internal import DelayedFeeds
internal import FrameDelivery

/// The handlers of DelayedFeedService. The handler of each method is in a file of its own in this folder.
struct DelayedFeedHandlers: DelayedFeedServiceHandler {
  let sessions: SessionRegistry
  let feeds: DelayedFeedRegistry

  /// The session and the preview output that a request names.
  ///
  /// - Throws: `invalidArgument`, `sessionNotFound`, `outputNotFound`.
  func preview(
    _ output: String, of session: String
  ) async throws(CaptureError) -> (CaptureSession, PreviewOutput) {
    let session = try await sessions.expectedSession(named: session, field: "session")
    return (session, try await session.output(output, as: PreviewOutput.self, named: "preview"))
  }
}
