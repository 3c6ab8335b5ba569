internal import CaptureCore

extension OutputContext {
  /// Whether the stream of `frame` goes on: not once its camera was stopped, which empties the history, nor once frames of
  /// another stream have come.
  func isStreaming(_ frame: Frame) -> Bool { history.newest?.frame.streamID == frame.streamID }
}
