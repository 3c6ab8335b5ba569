public import SystemClocks

/// The instant for which a client asks for a photo.
public enum CaptureMoment: Hashable, Sendable {
  /// The very frame that the person saw, by its sequence number. If the stream id is nil, the number belongs to the
  /// present stream.
  case sequence(UInt64, streamID: UInt64?)
  /// A time of the wall clock.
  case wallTime(WallInstant)
  /// A time of the clock by which drivers stamp frames.
  case monotonic(MonotonicInstant)
}
