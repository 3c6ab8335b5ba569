/// Whether the quality of a photo or the time to make the photo counts more. An output that allows one case also allows
/// the cases before it.
public enum PhotoQuality: Int, Hashable, Sendable, CaseIterable, Comparable {
  /// The time counts more: the photo is one frame, unchanged.
  case speed = 1
  /// Quality and time count alike: the photo is made of a few frames.
  case balanced
  /// The quality counts more: the photo is made of more frames, with more work.
  case quality

  /// Whether `a` is the lower quality, for which a photo takes less time.
  public static func < (a: PhotoQuality, b: PhotoQuality) -> Bool { a.rawValue < b.rawValue }
}
