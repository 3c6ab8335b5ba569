internal import CaptureCore

/// A streaming V4L2 camera. The descriptor and every call on it belong to its ``CaptureThread``.
///
/// When the last reference goes without ``stop()``, the stream is stopped all the same, a little later.
final class V4L2Source: FrameSource {
  let deviceID: String
  let streamID: UInt64
  let format: StreamFormat
  private let thread: CaptureThread

  /// Opens and starts the device; see ``DeviceProvider/start(_:on:pool:sink:)``.
  init(_ assignment: CaptureThread.Assignment) async throws(CaptureError) {
    let streamID = StreamID.next()
    let started = try await CaptureThread.start(assignment, streamID: streamID)
    self.deviceID = assignment.deviceID
    self.streamID = streamID
    self.format = started.format
    self.thread = started.thread
  }

  deinit { thread.requestStop() }

  func stop() async { await thread.stop() }
}
