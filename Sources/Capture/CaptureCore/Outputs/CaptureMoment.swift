/// The instant a photo is asked for.
public enum CaptureMoment: Hashable, Sendable {
  /// The very frame the person saw. Without a stream id: of the current stream.
  case sequence(UInt64, streamID: UInt64?)
  /// Wall clock, nanoseconds since the Unix epoch.
  case wallTime(UInt64)
  /// CLOCK_MONOTONIC, nanoseconds.
  case monotonic(UInt64)
}
