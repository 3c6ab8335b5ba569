import CaptureCore
import Testing

/// Tests which sizes a driver's stepwise range allows.
@Suite struct SizeRangeTests {
  private let range = SizeRange(
    minimum: Size(width: 160, height: 120), maximum: Size(width: 1280, height: 720), step: Size(width: 16, height: 8))

  /// The range allows both of its ends and the sizes a whole number of steps above the minimum.
  @Test(arguments: [Size(width: 160, height: 120), Size(width: 1280, height: 720), Size(width: 176, height: 128)])
  func allowsTheSizesOnItsSteps(size: Size) { #expect(range.contains(size)) }

  /// The range refuses sizes between two steps and sizes beyond its ends.
  @Test(arguments: [
    Size(width: 168, height: 120), Size(width: 160, height: 124), Size(width: 144, height: 120),
    Size(width: 1296, height: 720), Size(width: 0, height: 0),
  ])
  func refusesAllOtherSizes(size: Size) { #expect(!range.contains(size)) }

  /// In a direction in which the step is 0 or 1, the range allows every size between its ends.
  @Test func aStepOfZeroOrOneAllowsEverySize() {
    var any = range
    any.step = Size(width: 0, height: 1)
    #expect(any.contains(Size(width: 161, height: 121)))
  }
}

/// Tests how fractions compare, and how an unknown value is treated.
@Suite struct RationalTests {
  /// 30000/1001 is less than 30, and 30/1 and 60/2 are equal in order; a rate and its period are reciprocals.
  @Test func comparesWithoutRounding() {
    #expect(Rational(30_000, 1001) < Rational(30, 1))
    #expect(!(Rational(30, 1) < Rational(60, 2)))
    #expect(Rational(1, 30).reciprocal == Rational(30, 1))
  }

  /// A fraction with denominator 0, which some drivers report for an unknown value, has the value 0 instead of
  /// infinity.
  @Test func aZeroDenominatorGivesZero() { #expect(Rational(5, 0).value == 0) }
}
