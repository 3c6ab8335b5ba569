public import CaptureCore

/// The status of a video data stream.
public struct VideoDataStatus: Hashable, Sendable {
  /// Names the reader for ``ReaderDirectory/acknowledge(token:sequence:)``.
  public var token: String
  /// The state of the session, with its cause.
  public var session: SessionStatus
  /// The size of the frames that follow, in pixels. Nil before the first frame.
  public var size: Size?
  /// The pixel format of the frames that follow. Nil before the first frame.
  public var pixelFormat: PixelFormat?
}
