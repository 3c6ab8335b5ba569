internal import CaptureSessions
internal import FirstlightAPI
internal import RPCCore

/// VideoDataService. Each method has a file beside this one.
struct VideoDataHandlers: Sendable {
  let sessions: SessionRegistry
  /// Reads the warmest thermal zone, in thousandths of a degree Celsius. Nil on a machine that has none.
  let temperature: @Sendable () -> Int?

  func register(on router: inout RPCRouter) {
    router.serverStreaming(Firstlight_V1_VideoDataService.streamVideoData, streamVideoData)
    router.bidirectional(Firstlight_V1_VideoDataService.processFrames, requests: .large, processFrames)
    router.unary(Firstlight_V1_VideoDataService.setOverlay, requests: .large, setOverlay)
  }
}
