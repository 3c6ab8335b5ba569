public import CaptureCore
public import Imaging

/// One picture of a preview.
public struct PreviewPicture: Sendable {
  /// The frame as this reader gets it. Its numbers, times, input and revision are those of the captured frame; its
  /// layout and bytes are those of the encoded picture. A slow reader of encoded pictures therefore never holds the
  /// camera's own memory.
  public var captured: CapturedFrame
  /// How the picture is encoded.
  public var encoding: PreviewEncoding
  /// Whether the picture can be decoded without the pictures before it.
  public var isKeyFrame: Bool
  /// Frames that this reader lost since the frame before, by cause.
  public var dropped: DropCounts
  /// Frames that were left out since the frame before because the reader asked for fewer.
  public var omitted: UInt64
  /// Shared by the readers who get this picture in the same encoding. Nil when only one reader gets the picture.
  public var memo: PictureMemo?

  /// The layout and the bytes of the picture.
  public var picture: Picture { captured.frame.picture }
}
