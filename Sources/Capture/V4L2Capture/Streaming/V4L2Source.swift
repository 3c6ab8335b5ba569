internal import CaptureCore

/// A V4L2 camera that streams. Its ``CaptureThread`` owns the descriptor and makes every call on it.
///
/// When the last reference goes without a call of ``stop()``, the capture thread stops the stream a little later.
final class V4L2Source: FrameSource {
  let deviceID: String
  let streamID: UInt64
  let format: StreamFormat
  private let thread: CaptureThread

  /// Opens and starts the device; see ``DeviceProvider/start(_:on:pool:sink:)``.
  ///
  /// - Throws: the error of opening, configuring or starting the device; `processingFailed` when the system gives no
  ///   thread.
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
