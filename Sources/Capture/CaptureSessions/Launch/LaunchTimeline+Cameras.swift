internal import SystemClocks

/// The launches of single cameras. A camera that a commit asks for has a launch of its own in the timeline of the
/// session.
extension LaunchTimeline {
  /// Notes that a camera is about to be opened. A camera that was opened before in its launch has only returned.
  mutating func beginOpening(_ input: String, at instant: MonotonicInstant) {
    var camera = cameras[input] ?? Camera(requested: startRequested)
    camera.start.begin = camera.start.begin ?? instant
    cameras[input] = camera
  }

  /// Notes that a camera streams.
  mutating func endOpening(_ input: String, at instant: MonotonicInstant) {
    guard cameras[input]?.start.end == nil else { return }
    cameras[input]?.start.end = instant
  }

  /// Notes the first frame of a stream. Only the first one of each camera's launch counts, and of them the first one of
  /// the session's.
  mutating func noteFirstFrame(captured: MonotonicInstant, streamID: UInt64, of input: String) {
    cameras[input]?.noteFirstFrame(captured: captured, streamID: streamID)
    guard firstFrameCaptured == nil else { return }
    firstFrameCaptured = captured
    self.streamID = streamID
  }

  /// Takes over a commit.
  ///
  /// - Parameters:
  ///   - instant: when the commit was taken over.
  ///   - inputs: the ids of all inputs after the commit. The launches of others are removed.
  ///   - asked: the launches of the cameras that the commit asks for, by input id.
  mutating func commit(at instant: MonotonicInstant, inputs: Set<String>, asked: [String: Camera]) {
    configurationCommitted = instant
    cameras = cameras.filter { inputs.contains($0.key) }.merging(asked) { _, new in new }
    for id in asked.keys where cameras[id]?.requested == nil { cameras[id]?.requested = startRequested }
  }
}

extension LaunchTimeline.Camera {
  /// Notes the first frame of a stream of the camera.
  mutating func noteFirstFrame(captured: MonotonicInstant, streamID: UInt64) {
    guard firstFrameCaptured == nil, streamID >= earliestStream else { return }
    firstFrameCaptured = captured
    self.streamID = streamID
  }
}
