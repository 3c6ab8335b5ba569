public import CaptureCore

/// A search for a format on devices. Its results depend on the query and the device alone.
public struct FormatQuery: Hashable, Sendable {
  /// The exact size of pictures; nil for any.
  public var size: Size?
  /// The least number of frames per second, above 0; nil for any.
  public var frameRate: Rational?
  /// The pixel format; nil for any.
  public var pixelFormat: PixelFormat?

  /// Makes a query. A nil argument accepts any value.
  ///
  /// - Parameters:
  ///   - size: the exact size of pictures.
  ///   - frameRate: the least number of frames per second, above 0.
  ///   - pixelFormat: the pixel format.
  public init(size: Size? = nil, frameRate: Rational? = nil, pixelFormat: PixelFormat? = nil) {
    self.size = size
    self.frameRate = frameRate
    self.pixelFormat = pixelFormat
  }

  /// Returns the request that matches the query best on a device.
  ///
  /// The request has the query's size, or else the largest size. Of the formats that fit, it takes the one with the
  /// lowest sufficient rate, then one that is not binned, then the one that Firstlight reads at the least cost.
  ///
  /// The rate is the query's where the format offers it, else the next higher one. Without a rate in the query it is
  /// the format's highest rate up to 30 frames per second, or its lowest rate when all are higher, and the format with
  /// the highest rate up to 30 is best. A format that lists no rates does not fit a query that names one.
  ///
  /// - Returns: nil when no format fits.
  public func match(on device: Device) -> StreamRequest? {
    var best: (key: (Int, Double, Int, Int), request: StreamRequest)?
    for format in device.formats where pixelFormat == nil || pixelFormat == format.pixelFormat {
      let size = size ?? format.largestSize
      guard format.supports(size), let rate = rate(of: format) else { continue }
      let key = (
        -size.pixelCount, frameRate == nil ? -min(rate.value, 30) : rate.value, format.isBinned == true ? 1 : 0,
        -FormatSelection.ease(format)
      )
      // Of equal formats the first one wins, which keeps the driver's order of preference.
      if best.map({ key < $0.key }) ?? true {
        best = (key, StreamRequest(pixelFormat: format.pixelFormat, size: size, frameRate: rate))
      }
    }
    return best?.request
  }

  private func rate(of format: DeviceFormat) -> Rational? {
    guard let wanted = frameRate else { return FormatSelection.defaultRate(format) }
    switch format.frameDurations {
    case .discrete(let durations):
      return durations.filter { $0 <= wanted.reciprocal }.max()?.reciprocal
    case .range(let shortest, let longest, let step):
      guard shortest <= wanted.reciprocal else { return nil }
      if longest <= wanted.reciprocal { return longest.reciprocal }
      return step.map { Self.longest(from: shortest, in: $0, atMost: wanted.reciprocal).reciprocal } ?? wanted
    }
  }

  /// Returns the longest duration that is `shortest` plus a multiple of `step` and no longer than `limit`.
  private static func longest(from shortest: Rational, in step: Rational, atMost limit: Rational) -> Rational {
    func wide(_ value: UInt32) -> Int128 { Int128(value) }
    guard step.value > 0 else { return limit }
    // Compute with integers over the product of the denominators, so that nothing is rounded.
    let (a, b) = (wide(shortest.numerator), wide(shortest.denominator))
    let (c, d) = (wide(step.numerator), wide(step.denominator))
    let (e, f) = (wide(limit.numerator), wide(limit.denominator))
    let steps = (e * b - a * f) * d / (f * b * c)
    let (numerator, denominator) = (a * d + steps * c * b, b * d)
    var (x, y) = (numerator, denominator)
    while y != 0 { (x, y) = (y, x % y) }
    guard let over = UInt32(exactly: numerator / x), let under = UInt32(exactly: denominator / x) else { return limit }
    return Rational(over, under)
  }
}
