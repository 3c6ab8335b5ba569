/// Whether a flash lights a photo.
public enum FlashMode: Hashable, Sendable, CaseIterable {
  /// No flash fires.
  case off
  /// The flash fires.
  case on
  /// The flash fires when the scene is dark.
  case auto
}
