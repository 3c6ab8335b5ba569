public import CaptureCore
public import Imaging

/// What a preview reader gets.
public enum PreviewEvent: Sendable {
  case status(PreviewStatus)
  case frame(PreviewPicture)
}

/// How a preview stream is: a frozen picture explains itself.
public struct PreviewStatus: Hashable, Sendable {
  /// Names the reader for ``ReaderDirectory/acknowledge(token:sequence:)``.
  public var token: String
  public var session: SessionStatus
  /// Whether it shows the camera: the session runs, the output is connected and has started, and no photo larger than the
  /// frames is taken.
  public var isPreviewing: Bool
  /// The size of the frames that follow. Nil before the first.
  public var size: Size?
  public var encoding: PreviewEncoding
  /// Of JPEG and H.264, 1 to 100; 0 of raw pictures, of the camera's own, and before the first.
  public var quality: Int
  /// The reader gets every n-th of the frames it asked for: more than 1 while its link is slow.
  public var every: Int
}

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
