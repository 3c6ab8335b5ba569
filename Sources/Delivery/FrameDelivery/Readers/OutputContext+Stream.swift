internal import CaptureCore

extension OutputContext {
  /// Whether the stream of `frame` is over, or is that of a camera which the output had before. A stream can be over
  /// before the next stream has its first frame.
  func isOver(_ frame: Frame) -> Bool { history.isOver(stream: frame.streamID) }
}
