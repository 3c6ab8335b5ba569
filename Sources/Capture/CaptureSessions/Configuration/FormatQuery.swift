public import CaptureCore

/// A format looked for on devices. Pure.
public struct FormatQuery: Hashable, Sendable {
  /// Exactly this size; nil for any.
  public var size: Size?
  /// At least so many frames per second, above 0; nil for any.
  public var frameRate: Rational?
  /// Nil for any.
  public var pixelFormat: PixelFormat?

  public init(size: Size? = nil, frameRate: Rational? = nil, pixelFormat: PixelFormat? = nil) {
    self.size = size
    self.frameRate = frameRate
    self.pixelFormat = pixelFormat
  }

  /// What to ask a device for: the query's size or else the largest, of its formats the one whose rate is the lowest that is
  /// enough, then one that is not binned, then the one that is read here at the least cost.
  ///
  /// The rate is the query's where the format gives it, else the next higher. Without one in the query it is the highest up
  /// to 30, and the format with the highest such rate is best. A format that does not tell its rates does not fit a query
  /// for one.
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
      // Equal ones keep the driver's order of preference.
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

  /// The longest duration of the grid that is no longer than `limit`.
  private static func longest(from shortest: Rational, in step: Rational, atMost limit: Rational) -> Rational {
    func wide(_ value: UInt32) -> Int128 { Int128(value) }
    guard step.value > 0 else { return limit }
    // Everything over the denominators' product, so that nothing is rounded.
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
