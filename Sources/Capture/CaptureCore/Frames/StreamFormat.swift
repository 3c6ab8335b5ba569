/// What a device answered: the format its frames will have.
public struct StreamFormat: Hashable, Sendable {
  /// The driver's format (`VIDIOC_S_FMT`).
  public var devicePixelFormat: PixelFormat
  /// How a published frame lies in memory. Its pixel format differs from `devicePixelFormat` where
  /// ``DeviceFormat/convertedTo`` says so.
  public var layout: FrameLayout
  /// Frames per second that the driver confirmed (`VIDIOC_S_PARM`).
  public var frameRate: Rational

  public init(devicePixelFormat: PixelFormat, layout: FrameLayout, frameRate: Rational) {
    self.devicePixelFormat = devicePixelFormat
    self.layout = layout
    self.frameRate = frameRate
  }
}
