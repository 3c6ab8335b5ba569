/// Width and height in pixels.
public struct Size: Hashable, Sendable, CustomStringConvertible {
  public var width: Int
  public var height: Int

  public init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }

  public var pixelCount: Int { width * height }

  /// `"1280x720"`.
  public var description: String { "\(width)x\(height)" }
}

/// Sizes a driver accepts: `minimum` to `maximum` in steps, as V4L2 stepwise and continuous (`step` 1 × 1) frame sizes.
public struct SizeRange: Hashable, Sendable {
  public var minimum: Size
  public var maximum: Size
  public var step: Size

  public init(minimum: Size, maximum: Size, step: Size) {
    self.minimum = minimum
    self.maximum = maximum
    self.step = step
  }

  /// Whether `size` lies in the range and on its grid.
  public func contains(_ size: Size) -> Bool {
    func fits(_ value: Int, _ low: Int, _ high: Int, _ step: Int) -> Bool {
      (low...max(low, high)).contains(value) && (step <= 1 || (value - low) % step == 0)
    }
    return fits(size.width, minimum.width, maximum.width, step.width)
      && fits(size.height, minimum.height, maximum.height, step.height)
  }
}

/// A positive fraction, kept as the driver states it (1001/30000 stays that).
public struct Rational: Hashable, Sendable, Comparable, CustomStringConvertible {
  public var numerator: UInt32
  public var denominator: UInt32

  public init(_ numerator: UInt32, _ denominator: UInt32) {
    self.numerator = numerator
    self.denominator = denominator
  }

  /// Zero when the denominator is zero, which some drivers report for "unknown".
  public var value: Double { denominator == 0 ? 0 : Double(numerator) / Double(denominator) }

  public var reciprocal: Rational { Rational(denominator, numerator) }

  public static func < (a: Rational, b: Rational) -> Bool {
    UInt64(a.numerator) * UInt64(b.denominator) < UInt64(b.numerator) * UInt64(a.denominator)
  }

  public var description: String { "\(numerator)/\(denominator)" }
}

/// How long a frame may last: V4L2 frame intervals.
public enum FrameDurations: Hashable, Sendable {
  /// Exactly these, shortest first. Empty when the driver does not say.
  case discrete([Rational])
  /// From the shortest to the longest. `step` nil means any value between (V4L2 continuous).
  case range(shortest: Rational, longest: Rational, step: Rational?)
}
