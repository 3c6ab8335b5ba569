/// How evenly and how late an output hands its frames to readers.
public struct Cadence: Hashable, Sendable {
  /// Between a frame and the one before, to the same reader, of the same stream.
  public var interval = SpanHistogram()
  /// From a frame's capture, as the driver stamped it, to its being handed to a reader.
  public var lateness = SpanHistogram()

  public init() {}
}
