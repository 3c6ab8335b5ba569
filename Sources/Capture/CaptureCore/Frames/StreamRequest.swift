/// What a device is asked to stream.
public struct StreamRequest: Hashable, Sendable {
  public var pixelFormat: PixelFormat
  public var size: Size
  /// Frames per second wanted. The device takes the nearest it has; it is always set, because some drivers start at 5.
  public var frameRate: Rational
  /// How long the camera may bring nothing before it counts as stalled.
  public var patience = StallPatience()

  public init(pixelFormat: PixelFormat, size: Size, frameRate: Rational) {
    self.pixelFormat = pixelFormat
    self.size = size
    self.frameRate = frameRate
  }
}
