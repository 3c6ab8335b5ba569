internal import CaptureCore
internal import VideoCoding

/// How a picture fills the largest size wanted; AVLayerVideoGravity by another name.
public enum PreviewGravity: Hashable, Sendable, CaseIterable {
  /// The shape of the size wanted: the picture is stretched to it.
  case resize
  /// The picture's own shape, within the size wanted.
  case resizeAspect
  /// The shape of the size wanted: what reaches beyond it is cut off on both sides alike.
  case resizeAspectFill
}
