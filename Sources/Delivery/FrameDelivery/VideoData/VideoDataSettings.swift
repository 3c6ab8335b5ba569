public import CaptureCore

/// How a video data output gives its frames.
public struct VideoDataSettings: Hashable, Sendable {
  /// The pixel format of the frames. Nil: the camera's own format, without conversion.
  public var pixelFormat: PixelFormat?
  /// The range of luma and chroma. Nil: the camera's own range. Without meaning for RGB and compressed frames.
  public var range: FrameLayout.Range?
  /// How many frames may wait for each reader, 1 to 64. Nil: one frame waits, and a newer frame takes its place.
  public var queueDepth: Int?

  /// Makes settings. By default readers get the camera's own frames, and the newest frame wins.
  public init(pixelFormat: PixelFormat? = nil, range: FrameLayout.Range? = nil, queueDepth: Int? = nil) {
    self.pixelFormat = pixelFormat
    self.range = range
    self.queueDepth = queueDepth
  }
}
