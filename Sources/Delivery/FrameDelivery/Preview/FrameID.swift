internal import CaptureCore

/// Names a frame without holding the frame's memory.
struct FrameID: Hashable, Sendable {
  var streamID: UInt64
  var sequence: UInt64

  init(streamID: UInt64, sequence: UInt64) {
    self.streamID = streamID
    self.sequence = sequence
  }

  init(_ frame: Frame) {
    streamID = frame.streamID
    sequence = frame.sequence
  }
}
