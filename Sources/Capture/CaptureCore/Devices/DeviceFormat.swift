/// One thing a device can deliver: a pixel format, the size or sizes, and how fast.
public struct DeviceFormat: Hashable, Sendable {
  /// One size, or a range of them.
  public enum FrameSize: Hashable, Sendable {
    case discrete(Size)
    case range(SizeRange)
  }

  /// What the driver delivers on the wire or bus.
  public var pixelFormat: PixelFormat
  /// The driver's description, for people.
  public var description: String
  public var frameSize: FrameSize
  public var frameDurations: FrameDurations
  /// Whether groups of sensor pixels are combined. Nil when the device does not tell, as UVC does not.
  public var isBinned: Bool?
  /// What frames carry, when it is not `pixelFormat`: planes that the driver spreads over several buffers (NM12) are
  /// joined in the copy, and what Firstlight's own libraries cannot read goes through libv4lconvert. Else nil.
  public var convertedTo: PixelFormat?

  public init(
    pixelFormat: PixelFormat, description: String, frameSize: FrameSize, frameDurations: FrameDurations,
    isBinned: Bool? = nil, convertedTo: PixelFormat? = nil
  ) {
    self.pixelFormat = pixelFormat
    self.description = description
    self.frameSize = frameSize
    self.frameDurations = frameDurations
    self.isBinned = isBinned
    self.convertedTo = convertedTo
  }

  /// The largest size this format can deliver.
  public var largestSize: Size {
    switch frameSize {
    case .discrete(let only): only
    case .range(let range): range.maximum
    }
  }

  /// Whether photos are as good as the size allows: no pixels are combined for it. Devices that do not tell of binning, as
  /// UVC does not, are taken not to bin.
  public var supportsHighestPhotoQuality: Bool { isBinned != true }

  /// Whether this format can deliver exactly `size`.
  public func supports(_ size: Size) -> Bool {
    switch frameSize {
    case .discrete(let only): only == size
    case .range(let range): range.contains(size)
    }
  }
}
