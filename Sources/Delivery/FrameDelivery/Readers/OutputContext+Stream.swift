internal import CaptureCore

extension OutputContext {
  /// Whether the stream of `frame` is over. A stream can be over before the next stream has its first frame.
  func isOver(_ frame: Frame) -> Bool {
    max(history.earliestStreamID, history.newest?.frame.streamID ?? 0) > frame.streamID
  }
}
