internal import CaptureSessions
internal import FirstlightAPI
internal import RPCCore

/// The handlers of VideoDataService. The handler of each method is in a file of its own in this folder.
struct VideoDataHandlers: Sendable {
  let sessions: SessionRegistry
  /// Reads the warmest thermal zone, in thousandths of a degree Celsius; nil on a machine without a reading.
  let temperature: @Sendable () -> Int?

  func register(on router: inout RPCRouter) {
    router.serverStreaming(Firstlight_V1_VideoDataService.streamVideoData, streamVideoData)
    router.bidirectional(Firstlight_V1_VideoDataService.processFrames, requests: .large, processFrames)
    router.unary(Firstlight_V1_VideoDataService.setOverlay, requests: .large, setOverlay)
  }
}
