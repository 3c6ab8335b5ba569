/// A positive fraction. The fraction keeps the terms in which the driver states it; 1001/30000 is not reduced or
/// rounded.
public struct Rational: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The number above the line of the fraction.
  public var numerator: UInt32
  /// The number below the line of the fraction; 0 from some drivers, when they do not know the value.
  public var denominator: UInt32

  /// Creates `numerator`/`denominator` without reducing the fraction.
  public init(_ numerator: UInt32, _ denominator: UInt32) {
    self.numerator = numerator
    self.denominator = denominator
  }

  /// The value of the fraction; 0 when the denominator is 0, which some drivers report for "unknown".
  public var value: Double { denominator == 0 ? 0 : Double(numerator) / Double(denominator) }

  /// The fraction with its numerator and denominator exchanged: the rate for a duration, and the duration for a rate.
  public var reciprocal: Rational { Rational(denominator, numerator) }

  /// Compares the numbers, whose denominators may differ.
  public static func < (a: Rational, b: Rational) -> Bool {
    UInt64(a.numerator) * UInt64(b.denominator) < UInt64(b.numerator) * UInt64(a.denominator)
  }

  public var description: String { "\(numerator)/\(denominator)" }
}
