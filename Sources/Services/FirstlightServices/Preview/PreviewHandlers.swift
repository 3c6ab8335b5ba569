internal import CaptureCore
internal import CaptureSessions
internal import FirstlightAPI
internal import FrameDelivery
internal import RPCCore

/// PreviewService. Each method has a file beside this one.
struct PreviewHandlers: Sendable {
  let sessions: SessionRegistry
  let readers: ReaderDirectory

  func register(on router: inout RPCRouter) {
    router.serverStreaming(Firstlight_V1_PreviewService.streamPreview, streamPreview)
    router.unary(Firstlight_V1_PreviewService.acknowledgeFrames, acknowledgeFrames)
  }
}
