public import CaptureCore

/// The camera's frame that a photo shows.
public struct PhotoFrame: Hashable, Sendable {
  /// The driver's number of the frame in its stream.
  public var sequence: UInt64
  /// The stream that the frame belongs to.
  public var streamID: UInt64
  /// When the frame was captured.
  public var time: FrameTime
  /// The `id` of the session's input that the frame came from.
  public var input: String
  /// The revision of the session's configuration when the frame was captured.
  public var configRevision: UInt64
  /// What each layer shows, when the daemon composed the frame; empty for a camera's own frame.
  public var layers: [ComposedLayer] = []
}

extension PhotoFrame {
  init(_ captured: CapturedFrame) {
    let frame = captured.frame
    self.init(
      sequence: frame.sequence, streamID: frame.streamID, time: frame.time, input: captured.input,
      configRevision: captured.configRevision, layers: frame.layers)
  }
}
