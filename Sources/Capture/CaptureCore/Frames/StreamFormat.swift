/// The format and rate that a driver confirmed for a stream.
public struct StreamFormat: Hashable, Sendable {
  /// The pixel format that the driver delivers (`VIDIOC_S_FMT`).
  public var devicePixelFormat: PixelFormat
  /// How the frames of the stream lie in memory. Their pixel format differs from `devicePixelFormat` if
  /// ``DeviceFormat/convertedTo`` is set.
  public var layout: FrameLayout
  /// The frames per second that the driver confirmed (`VIDIOC_S_PARM`).
  public var frameRate: Rational

  /// Creates the format of a stream.
  ///
  /// - Parameters:
  ///   - devicePixelFormat: the pixel format that the driver delivers.
  ///   - layout: how the frames of the stream lie in memory.
  ///   - frameRate: in frames per second.
  public init(devicePixelFormat: PixelFormat, layout: FrameLayout, frameRate: Rational) {
    self.devicePixelFormat = devicePixelFormat
    self.layout = layout
    self.frameRate = frameRate
  }
}
