internal import CaptureSession
internal import GRPCTransport

/// VideoDataService: one file per method beside this one.
struct VideoDataHandlers: Sendable {
  let sessions: SessionRegistry

  func register(on router: inout RPCRouter) {
    router.serverStreaming(
      MethodDescriptor(service: "firstlight.v1.VideoDataService", method: "StreamVideoData"), streamVideoData)
  }
}
