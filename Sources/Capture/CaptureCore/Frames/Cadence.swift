/// How evenly and how late an output hands its frames to readers.
public struct Cadence: Hashable, Sendable {
  /// The time between the handover of a frame and the handover of the frame before, to the same reader and of the same
  /// stream.
  public var interval = SpanHistogram()
  /// The time from the capture of a frame, as the driver stamped it, to the handover of the frame to a reader.
  public var lateness = SpanHistogram()

  /// Creates a cadence that has counted no frame.
  public init() {}
}
