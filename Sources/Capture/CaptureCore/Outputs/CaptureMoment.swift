/// The instant for which a client asks for a photo.
public enum CaptureMoment: Hashable, Sendable {
  /// The very frame that the person saw, by its sequence number. If the stream id is nil, the number belongs to the
  /// present stream.
  case sequence(UInt64, streamID: UInt64?)
  /// A time of the wall clock, in nanoseconds since the Unix epoch.
  case wallTime(UInt64)
  /// A time of CLOCK_MONOTONIC, in nanoseconds.
  case monotonic(UInt64)
}
