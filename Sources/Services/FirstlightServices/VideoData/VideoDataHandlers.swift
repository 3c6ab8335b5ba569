internal import CaptureSessions

/// The handlers of VideoDataService. The handler of each method is in a file of its own in this folder.
struct VideoDataHandlers: VideoDataServiceHandler {
  let sessions: SessionRegistry
  /// Reads the warmest thermal zone, in thousandths of a degree Celsius; nil on a machine without a reading.
  let temperature: @Sendable () -> Int?
}
