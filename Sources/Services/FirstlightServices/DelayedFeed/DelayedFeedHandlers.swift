internal import CaptureCore
internal import CaptureSessions
internal import DelayedFeeds
internal import FirstlightAPI
internal import FrameDelivery
internal import RPCCore

/// The handlers of DelayedFeedService. The handler of each method is in a file of its own in this folder.
struct DelayedFeedHandlers: Sendable {
  let sessions: SessionRegistry
  let feeds: DelayedFeedRegistry

  func register(on router: inout RPCRouter) {
    router.serverStreaming(Firstlight_V1_DelayedFeedService.streamDelayedFrames, streamDelayedFrames)
    router.serverStreaming(Firstlight_V1_DelayedFeedService.streamDelayedChunks, streamDelayedChunks)
  }

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
