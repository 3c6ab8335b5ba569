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
