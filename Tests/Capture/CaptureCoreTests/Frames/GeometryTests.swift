import CaptureCore
import Testing

@Suite struct SizeRangeTests {
  private let range = SizeRange(
    minimum: Size(width: 160, height: 120), maximum: Size(width: 1280, height: 720), step: Size(width: 16, height: 8))

  @Test(arguments: [Size(width: 160, height: 120), Size(width: 1280, height: 720), Size(width: 176, height: 128)])
  func holdsItsGrid(size: Size) { #expect(range.contains(size)) }

  @Test(arguments: [
    Size(width: 168, height: 120), Size(width: 160, height: 124), Size(width: 144, height: 120),
    Size(width: 1296, height: 720), Size(width: 0, height: 0),
  ])
  func holdsNothingElse(size: Size) { #expect(!range.contains(size)) }

  @Test func aStepOfZeroOrOneIsContinuous() {
    var any = range
    any.step = Size(width: 0, height: 1)
    #expect(any.contains(Size(width: 161, height: 121)))
  }
}

@Suite struct RationalTests {
  @Test func comparesWithoutRounding() {
    #expect(Rational(30_000, 1001) < Rational(30, 1))
    #expect(!(Rational(30, 1) < Rational(60, 2)))
    #expect(Rational(1, 30).reciprocal == Rational(30, 1))
  }

  @Test func anUnknownOneIsZero() { #expect(Rational(5, 0).value == 0) }
}
