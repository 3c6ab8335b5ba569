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

extension FrameDurations {
  /// The duration whose rate is nearest to `rate`, as a driver would choose it; nil when there are no durations, or
  /// when `rate` is zero.
  public func nearest(toRate rate: Rational) -> Rational? {
    guard rate.value > 0 else { return nil }
    switch self {
    case .discrete(let durations):
      func distance(_ duration: Rational) -> Double { abs(duration.reciprocal.value - rate.value) }
      return durations.min { distance($0) < distance($1) }
    case .range(let shortest, let longest, _):
      // The steps of the range do not matter here, because the driver rounds to them.
      return min(max(rate.reciprocal, shortest), longest)
    }
  }

  /// The rate on offer that `rate` means: the nearest rate, if the two differ by at most 1 %. So 29.97 finds 30000/1001
  /// as well as 30. When the driver tells no durations, the answer is `rate` itself. Nil when no rate on offer is near
  /// enough.
  public func offered(_ rate: Rational) -> Rational? {
    if self == .discrete([]) { return rate }
    return nearest(toRate: rate).map(\.reciprocal).flatMap { rate.names($0) ? $0 : nil }
  }
}

extension Rational {
  /// Whether this rate, which a client asked for, means the rate `offered`. The two rates may differ by 1 % of
  /// `offered`, because drivers write 29.97 in several ways.
  public func names(_ offered: Rational) -> Bool { abs(offered.value - value) <= offered.value / 100 }
}

/// The durations that a frame may have, in seconds: V4L2's frame intervals.
public enum FrameDurations: Hashable, Sendable {
  /// Exactly these durations, the shortest first. Empty when the driver tells none.
  case discrete([Rational])
  /// All durations from the shortest to the longest in steps of `step`. When `step` is nil, every duration in between
  /// is possible (V4L2's continuous intervals).
  case range(shortest: Rational, longest: Rational, step: Rational?)
}

/// The sizes that a driver accepts: from `minimum` to `maximum` in steps. V4L2 calls these sizes stepwise, or
/// continuous when the step is 1 × 1.
public struct SizeRange: Hashable, Sendable {
  /// The smallest width and the smallest height, in pixels.
  public var minimum: Size
  /// The largest width and the largest height, in pixels.
  public var maximum: Size
  /// The distance in pixels from one width, and from one height, to the next, counted from the minimum.
  public var step: Size

  /// Creates a range of sizes.
  ///
  /// - Parameter step: the distance in pixels from one width, and from one height, to the next; 1 × 1 for every size.
  public init(minimum: Size, maximum: Size, step: Size) {
    self.minimum = minimum
    self.maximum = maximum
    self.step = step
  }

  /// Whether `size` lies in the range and on its steps.
  public func contains(_ size: Size) -> Bool {
    func fits(_ value: Int, _ low: Int, _ high: Int, _ step: Int) -> Bool {
      (low...max(low, high)).contains(value) && (step <= 1 || (value - low) % step == 0)
    }
    return fits(size.width, minimum.width, maximum.width, step.width)
      && fits(size.height, minimum.height, maximum.height, step.height)
  }
}
