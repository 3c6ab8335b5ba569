/// Whether a photo shows the frame that the client asked for.
public enum FrameMatch: Hashable, Sendable {
  /// The photo shows the frame or the time that the request names, or the frame of "now".
  case exact
  /// The frame that the request names was not kept, so that the photo shows the nearest frame that was.
  case nearest
  /// The frame that the client asked for was damaged, so that the photo shows the nearest intact frame, or, for a photo
  /// of "now", the next intact frame.
  case damaged
}
