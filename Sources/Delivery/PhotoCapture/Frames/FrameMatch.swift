/// Whether a photo shows the frame that was asked for.
public enum FrameMatch: Hashable, Sendable {
  /// The frame or the time named; for "now" the frame of that instant.
  case exact
  /// That was not kept, so that this is the nearest one.
  case nearest
  /// That was damaged, so that this is the nearest intact one; for "now" the next.
  case damaged
}
