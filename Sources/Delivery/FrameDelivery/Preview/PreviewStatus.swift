public import CaptureCore
internal import Imaging

/// The status of a preview stream. The status tells why a picture is frozen.
public struct PreviewStatus: Hashable, Sendable {
  /// Names the reader for ``ReaderDirectory/acknowledge(token:sequence:)``.
  public var token: String
  /// The state of the session, or of the output's own camera when the session has several, with its cause.
  public var session: SessionStatus
  /// Whether the preview shows the camera: the session runs, the output is connected and has started, and the camera is
  /// not taking a photo that is larger than its frames.
  public var isPreviewing: Bool
  /// The size of the frames that follow, in pixels. Nil while it is not known; known at the latest with the first
  /// frame.
  public var size: Size?
  /// How the pictures of the stream are encoded.
  public var encoding: PreviewEncoding
  /// The quality of the JPEG or H.264 pictures that follow, 1 to 100. 0 for raw pictures, for the camera's own JPEG,
  /// and while the quality is not known.
  public var quality: Int
  /// The reader gets every n-th of the frames that it asked for. More than 1 only while its link is slow.
  public var every: Int
}
