public import CaptureCore
public import Imaging

/// One picture of a preview.
public struct PreviewPicture: Sendable {
  /// The frame as this reader gets it: numbers, times, input and revision of the captured one, but layout and bytes of
  /// what was encoded. So a slow reader never holds the camera's own memory for a picture it gets encoded.
  public var captured: CapturedFrame
  public var encoding: PreviewEncoding
  /// Whether it can be decoded without those before.
  public var isKeyFrame: Bool
  /// What this reader missed since the frame before.
  public var dropped: DropCounts
  /// Frames left out since the frame before because the reader asked for fewer.
  public var omitted: UInt64
  /// Shared by the readers who get this picture in the same encoding; nil for one alone.
  public var memo: PictureMemo?

  /// Layout and bytes.
  public var picture: Picture { captured.frame.picture }
}
