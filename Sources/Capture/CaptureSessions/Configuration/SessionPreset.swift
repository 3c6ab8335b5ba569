/// How to pick the format of an input that names none.
public enum SessionPreset: Hashable, Sendable, CaseIterable {
  /// The largest format, at any rate.
  case photo
  /// The largest format up to 1920 × 1080 that reaches 24 frames per second, or the fastest one where none does.
  case high
  /// The format whose number of pixels is nearest to 640 × 480.
  case medium
  /// The format whose number of pixels is nearest to 320 × 240.
  case low
  case hd720p, hd1080p, hd4K
  /// The format that the input names.
  case inputPriority
}
