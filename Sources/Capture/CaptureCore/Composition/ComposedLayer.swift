/// What one layer of a composed picture shows.
public struct ComposedLayer: Hashable, Sendable {
  /// A frame, as its camera names it.
  public struct Source: Hashable, Sendable {
    /// The camera's stream.
    public var streamID: UInt64
    /// The camera's number of the frame in its stream.
    public var sequence: UInt64
    /// When the camera captured the frame.
    public var time: FrameTime

    /// Creates the name of a frame.
    public init(streamID: UInt64, sequence: UInt64, time: FrameTime) {
      self.streamID = streamID
      self.sequence = sequence
      self.time = time
    }
  }

  /// The id of the session's input that the layer shows.
  public var input: String
  /// The frame that the layer shows; nil when the layer shows nothing, because its input has brought no frame yet.
  public var source: Source?
  /// Whether the input had no frame near enough to the time of the picture, so that the layer shows an earlier frame or
  /// nothing.
  public var isStale: Bool

  /// Creates the description of a layer.
  ///
  /// - Parameter frame: the frame that the layer shows; nil for nothing.
  public init(input: String, frame: Frame?, isStale: Bool) {
    self.input = input
    source = frame.map { Source(streamID: $0.streamID, sequence: $0.sequence, time: $0.time) }
    self.isStale = isStale
  }
}
