internal import CaptureSessions
internal import GRPCTransport

/// VideoDataService: one file per method beside this one.
struct VideoDataHandlers: Sendable {
  let sessions: SessionRegistry
  /// Of the warmest thermal zone, thousandths of a degree Celsius; nil where none tells.
  let temperature: @Sendable () -> Int?

  func register(on router: inout RPCRouter) {
    router.serverStreaming(
      MethodDescriptor(service: "firstlight.v1.VideoDataService", method: "StreamVideoData"), streamVideoData)
    router.bidirectional(
      MethodDescriptor(service: "firstlight.v1.VideoDataService", method: "ProcessFrames"), requests: .large,
      processFrames)
    router.unary(
      MethodDescriptor(service: "firstlight.v1.VideoDataService", method: "SetOverlay"), requests: .large, setOverlay)
  }
}
