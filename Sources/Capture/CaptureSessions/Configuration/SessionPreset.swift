/// How to pick the format of an input that names none.
public enum SessionPreset: Hashable, Sendable, CaseIterable {
  /// The largest format, at any rate.
  case photo
  /// The largest up to 1920 × 1080 that reaches 24 frames per second.
  case high
  /// The nearest to 640 × 480.
  case medium
  /// The nearest to 320 × 240.
  case low
  case hd720p, hd1080p, hd4K
  /// The format given with the input.
  case inputPriority
}
