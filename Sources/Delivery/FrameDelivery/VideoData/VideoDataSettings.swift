public import CaptureCore

/// How a video data output gives its frames.
public struct VideoDataSettings: Hashable, Sendable {
  /// Nil: the camera's own, without conversion.
  public var pixelFormat: PixelFormat?
  /// Of luma and chroma; nil: the camera's own. Means nothing for RGB and compressed frames.
  public var range: FrameLayout.Range?
  /// Frames that may wait for each reader; nil: a newer one takes the place of the one that waits.
  public var queueDepth: Int?

  public init(pixelFormat: PixelFormat? = nil, range: FrameLayout.Range? = nil, queueDepth: Int? = nil) {
    self.pixelFormat = pixelFormat
    self.range = range
    self.queueDepth = queueDepth
  }
}
