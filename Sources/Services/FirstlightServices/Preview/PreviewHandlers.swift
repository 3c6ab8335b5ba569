internal import CaptureCore
internal import CaptureSessions
internal import FirstlightAPI
internal import FrameDelivery
internal import RPCCore

/// The handlers of PreviewService. The handler of each method is in a file of its own in this folder.
struct PreviewHandlers: Sendable {
  let sessions: SessionRegistry
  let readers: ReaderDirectory

  func register(on router: inout RPCRouter) {
    router.serverStreaming(Firstlight_V1_PreviewService.streamPreview, streamPreview)
    router.unary(Firstlight_V1_PreviewService.acknowledgeFrames, acknowledgeFrames)
  }
}
