internal import CaptureCore
internal import CaptureSessions
internal import FirstlightAPI
internal import GRPCTransport
internal import FrameDelivery

/// PreviewService: one file per method beside this one.
struct PreviewHandlers: Sendable {
  let sessions: SessionRegistry
  let readers: ReaderDirectory

  func register(on router: inout RPCRouter) {
    func method(_ name: String) -> MethodDescriptor {
      MethodDescriptor(service: "firstlight.v1.PreviewService", method: name)
    }
    router.serverStreaming(method("StreamPreview"), streamPreview)
    router.unary(method("AcknowledgeFrames"), acknowledgeFrames)
  }
}
