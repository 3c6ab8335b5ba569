import CaptureCore
import CaptureTestKit
import SystemClocks
import Testing

@testable import SystemPressure

/// How the level of one source rises at once and falls with hysteresis. The trips passive 85 °C, hot 100 °C and
/// critical 120 °C give the thresholds fair 80 °C, serious 85 °C, critical 100 °C and shutdown 115 °C.
struct HeldLevelTests {
  static let thresholds = LevelThresholds(trips: [
    TripPoint(.passive, millidegrees: 85_000), TripPoint(.hot, millidegrees: 100_000),
    TripPoint(.critical, millidegrees: 120_000),
  ])!

  /// Feeds readings and returns the level after each. A reading is a time in seconds and a temperature in degrees
  /// Celsius; nil means that the temperature could not be read.
  private func levels(_ trace: [(Double, Double?)]) -> [PressureLevel] {
    var zone = HeldLevel()
    return trace.map { seconds, degrees in
      zone.update(
        millidegrees: degrees.map { Int($0 * 1000) }, thresholds: Self.thresholds, now: .epoch + UInt64(seconds * 1e9))
      return zone.level
    }
  }

  /// A rise needs neither a margin nor a wait.
  @Test func theLevelRisesAtOnceWithEachReading() {
    #expect(
      levels([(0, 42), (1, 82), (2, 88), (3, 101), (4, 116)]) == [.nominal, .fair, .serious, .critical, .shutdown])
  }

  @Test func aRiseMaySkipLevels() {
    #expect(levels([(0, 42), (1, 116)]) == [.nominal, .shutdown])
    #expect(levels([(0, 101)]) == [.critical])
  }

  /// A level falls when the temperature was at least 3 °C below the level's threshold for 3 s.
  @Test func fallingNeedsThreeDegreesAndThreeSeconds() {
    // 82.001 °C is less than 3 °C below 85 °C, so the level never falls. 82 °C is low enough.
    #expect(levels([(0, 86), (1, 82.001), (10, 82.001)]) == [.serious, .serious, .serious])
    #expect(levels([(0, 86), (1, 82), (3.999, 82), (4, 82)]) == [.serious, .serious, .serious, .fair])
  }

  /// One reading within the margin of 3 °C starts the wait of 3 s again, so that a temperature near a threshold does
  /// not make the level flicker.
  @Test func aWarmReadingDuringTheWaitStartsTheWaitAgain() {
    #expect(
      levels([(0, 86), (1, 80), (3, 84), (4, 80), (6, 80), (7, 80)])
        == [.serious, .serious, .serious, .serious, .serious, .fair])
  }

  /// The margin of 3 °C also applies to the level that the source falls to.
  @Test func theLevelFallsOnlyBelowThresholdsClearedByTheMargin() {
    // 78 °C is below the threshold of fair, 80 °C, but by less than 3 °C, so the level fair stays. 77 °C is low enough
    // to leave fair.
    #expect(levels([(0, 101), (1, 78), (4, 78)]) == [.critical, .critical, .fair])
    #expect(levels([(0, 101), (1, 77), (4, 77)]) == [.critical, .critical, .nominal])
  }

  /// After the wait, the newest reading decides the level, not the coldest reading of the wait.
  @Test func theNewestTemperatureDecidesTheLevelAfterTheWait() {
    #expect(levels([(0, 116), (1, 60), (4, 98)]) == [.shutdown, .shutdown, .critical])
  }

  /// A rise during the wait takes effect at once, and the wait begins anew.
  @Test func theLevelRisesDuringTheWaitToFall() {
    #expect(levels([(0, 86), (1, 60), (2, 101), (4, 60)]) == [.serious, .serious, .critical, .critical])
  }

  /// A missing temperature counts as cold, so the level of a source that cannot be read any more falls after 3 s.
  @Test func theLevelFallsWithoutATemperature() {
    #expect(levels([(0, 86), (1, nil), (3, nil), (4, nil)]) == [.serious, .serious, .serious, .nominal])
    // One failed reading alone changes nothing.
    #expect(levels([(0, 86), (1, nil), (2, 86), (5, nil)]) == [.serious, .serious, .serious, .serious])
    #expect(levels([(0, nil), (9, nil)]) == [.nominal, .nominal])
  }

  /// When the clock goes back, the wait of 3 s begins anew at the earlier time. The level falls later, but does fall.
  @Test func aClockThatStepsBackOnlyDelaysTheFall() {
    #expect(
      levels([(10, 86), (11, 60), (5, 60), (7, 60), (8, 60)]) == [.serious, .serious, .serious, .serious, .nominal])
  }

  /// Each reading is judged by the thresholds that come with it: lower trips raise the level, and a source that loses
  /// its trips falls to nominal after 3 s.
  @Test func tripsMayChangeBetweenReadings() {
    var zone = HeldLevel()
    zone.update(millidegrees: 86_000, thresholds: Self.thresholds, now: 0)
    let lower = LevelThresholds(trips: [TripPoint(.critical, millidegrees: 90_000)])
    zone.update(millidegrees: 86_000, thresholds: lower, now: 1)
    #expect(zone.level == .shutdown)
    zone.update(millidegrees: 86_000, thresholds: nil, now: 2)
    zone.update(millidegrees: 86_000, thresholds: nil, now: 3_000_000_002)
    #expect(zone.level == .nominal)
  }
}

extension HeldLevel {
  /// Feeds a temperature as the model does. `millidegrees` is in thousandths of a degree Celsius.
  fileprivate mutating func update(millidegrees: Int?, thresholds: LevelThresholds?, now: MonotonicInstant) {
    update(Claim.temperature(millidegrees, thresholds), now: now)
  }
}
