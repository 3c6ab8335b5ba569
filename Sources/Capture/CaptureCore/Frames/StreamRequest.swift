/// The stream that a session asks a camera for.
public struct StreamRequest: Hashable, Sendable {
  /// The pixel format that the driver shall deliver.
  public var pixelFormat: PixelFormat
  /// The size of the frames in pixels.
  public var size: Size
  /// The wanted frames per second. The camera takes the nearest rate that it has. The source always sets the rate,
  /// because some drivers start at 5 frames per second.
  public var frameRate: Rational
  /// How long the camera may bring no frame before the stream counts as stalled.
  public var patience = StallPatience()

  /// Creates a request with the usual patience.
  ///
  /// - Parameter frameRate: the wanted frames per second.
  public init(pixelFormat: PixelFormat, size: Size, frameRate: Rational) {
    self.pixelFormat = pixelFormat
    self.size = size
    self.frameRate = frameRate
  }
}
