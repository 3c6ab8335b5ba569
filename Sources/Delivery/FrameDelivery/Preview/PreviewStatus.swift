public import CaptureCore
internal import Imaging

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
