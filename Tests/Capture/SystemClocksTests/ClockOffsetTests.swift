import Testing

@testable import SystemClocks

/// What measurements of the offset between two clocks are worth.
@Suite struct ClockOffsetTests {
  private let known = ClockOffset(nanoseconds: 1_000_000, error: 50)

  @Test(arguments: [1_000_000, 1_000_090, 999_910])
  func aMeasurementThatAgreesChangesNothing(nanoseconds: Int64) {
    #expect(known.corrected(by: ClockOffset(nanoseconds: nanoseconds, error: 40)) == known)
  }

  /// An interrupted thread measures what may be far off, and this does not shift the times of pictures and sound.
  @Test func anUncertainMeasurementDoesNotMoveTheOffset() {
    #expect(known.corrected(by: ClockOffset(nanoseconds: 1_900_000, error: 950_000)) == known)
  }

  @Test(arguments: [1_000_091, 999_909, 3_600_000_000_000, -3_600_000_000_000])
  func aSetClockIsFollowed(nanoseconds: Int64) {
    let measured = ClockOffset(nanoseconds: nanoseconds, error: 40)
    #expect(known.corrected(by: measured) == measured)
  }

  @Test func aBadFirstMeasurementIsCorrected() {
    let bad = ClockOffset(nanoseconds: 1_900_000, error: 950_000)
    #expect(bad.corrected(by: known) == known)
  }

  /// Nobody sets the clock between two measurements, so each allows what the other says.
  @Test func measurementsAgree() {
    let (first, second) = (ClockOffset.measure(), ClockOffset.measure())
    #expect((first.nanoseconds - second.nanoseconds).magnitude <= first.error + second.error)
  }
}
