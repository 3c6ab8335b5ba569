/// What counts more, the photo or the time it takes. Each allows what those before it do.
public enum PhotoQuality: Int, Hashable, Sendable, CaseIterable, Comparable {
  /// The time: one frame, as it is.
  case speed = 1
  /// Both: a few frames become one.
  case balanced
  /// The photo: more frames, more work.
  case quality

  public static func < (a: PhotoQuality, b: PhotoQuality) -> Bool { a.rawValue < b.rawValue }
}
