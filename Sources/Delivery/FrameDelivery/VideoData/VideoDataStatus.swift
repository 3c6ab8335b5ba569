public import CaptureCore

/// How a video data stream is.
public struct VideoDataStatus: Hashable, Sendable {
  /// Names the reader for ``ReaderDirectory/acknowledge(token:sequence:)``.
  public var token: String
  public var session: SessionStatus
  /// The size of the frames that follow. Nil before the first.
  public var size: Size?
  /// The format of the frames that follow. Nil before the first.
  public var pixelFormat: PixelFormat?
}
