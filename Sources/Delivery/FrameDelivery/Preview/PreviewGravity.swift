/// How a picture fills the largest size that the reader wants. AVFoundation calls this AVLayerVideoGravity.
public enum PreviewGravity: Hashable, Sendable, CaseIterable {
  /// The picture is stretched to the shape of the wanted size.
  case resize
  /// The picture keeps its own shape and fits within the wanted size.
  case resizeAspect
  /// The picture takes the shape of the wanted size, and the parts beyond that shape are cut off on both sides alike.
  case resizeAspectFill
}
