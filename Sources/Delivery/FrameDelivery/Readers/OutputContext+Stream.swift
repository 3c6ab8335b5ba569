internal import CaptureCore

extension OutputContext {
  /// Whether the stream of `frame` is over.
  func isOver(_ frame: Frame) -> Bool {
    max(history.earliestStreamID, history.newest?.frame.streamID ?? 0) > frame.streamID
  }
}
