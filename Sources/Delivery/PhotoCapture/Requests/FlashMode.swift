/// Whether a photo is lit.
public enum FlashMode: Hashable, Sendable, CaseIterable {
  case off, on
  /// When the scene is dark.
  case auto
}
