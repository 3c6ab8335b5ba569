/// The instant for which a client asks for a photo.
public enum CaptureMoment: Hashable, Sendable {
  /// The very frame that the person saw, by its sequence number. If the stream id is nil, the number belongs to the
  /// present stream.
  case sequence(UInt64, streamID: UInt64?)
  case wallTime(WallInstant)
  case monotonic(MonotonicInstant)
}
