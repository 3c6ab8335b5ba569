/// One format that a camera can deliver: a pixel format, a size or a range of sizes, and the frame durations.
public struct DeviceFormat: Hashable, Sendable {
  /// One size, or a range of sizes.
  public enum FrameSize: Hashable, Sendable {
    case discrete(Size)
    case range(SizeRange)
  }

  /// The pixel format that the driver delivers on the wire or bus.
  public var pixelFormat: PixelFormat
  /// The driver's description of the format, for people.
  public var description: String
  /// The sizes in which the camera can deliver this format, in pixels.
  public var frameSize: FrameSize
  /// The durations that a frame of this format may have, in seconds.
  public var frameDurations: FrameDurations
  /// Whether the sensor combines groups of pixels; nil for a camera that does not tell, and UVC cameras do not.
  public var isBinned: Bool?
  /// The pixel format of the frames, if the frames do not have `pixelFormat`; else nil. The two formats differ in two
  /// cases. First, the driver spreads the planes over several buffers (NM12), and Firstlight joins the planes when it
  /// copies them. Second, Firstlight's own libraries cannot read `pixelFormat`, and libv4lconvert converts the picture.
  public var convertedTo: PixelFormat?

  /// Creates a format. By default, its binning is unknown and its frames have `pixelFormat`.
  ///
  /// - Parameters: as the properties of the same names.
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

  /// The largest size that this format can deliver, in pixels.
  public var largestSize: Size {
    switch frameSize {
    case .discrete(let only): only
    case .range(let range): range.maximum
    }
  }

  /// Whether photos in this format are as good as their size allows, because the sensor combines no pixels. A camera
  /// that does not tell whether its sensor combines pixels, as UVC cameras do not, counts as one that does not combine
  /// them.
  public var supportsHighestPhotoQuality: Bool { isBinned != true }

  /// Whether this format can deliver exactly `size`.
  public func supports(_ size: Size) -> Bool {
    switch frameSize {
    case .discrete(let only): only == size
    case .range(let range): range.contains(size)
    }
  }
}
