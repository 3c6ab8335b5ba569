import CaptureCore
import CaptureTestKit
import SystemClocks
import Testing

@testable import SystemPressure

/// Trips passive 85, hot 100, critical 120: fair 80, serious 85, critical 100, shutdown 115.
struct HeldLevelTests {
  static let thresholds = LevelThresholds(trips: [
    TripPoint(.passive, millidegrees: 85_000), TripPoint(.hot, millidegrees: 100_000),
    TripPoint(.critical, millidegrees: 120_000),
  ])!

  /// Feeds (seconds, degrees) and gives the level after each.
  private func levels(_ trace: [(Double, Double?)]) -> [PressureLevel] {
    var zone = HeldLevel()
    return trace.map { seconds, degrees in
      zone.update(
        millidegrees: degrees.map { Int($0 * 1000) }, thresholds: Self.thresholds, now: .epoch + UInt64(seconds * 1e9))
      return zone.level
    }
  }

  @Test func upAtOnceStepByStep() {
    #expect(
      levels([(0, 42), (1, 82), (2, 88), (3, 101), (4, 116)]) == [.nominal, .fair, .serious, .critical, .shutdown])
  }

  @Test func levelsAreSkippedUpward() {
    #expect(levels([(0, 42), (1, 116)]) == [.nominal, .shutdown])
    #expect(levels([(0, 101)]) == [.critical])
  }

  @Test func fallingNeedsThreeDegreesAndThreeSeconds() {
    // 82.001 is not 3 °C below 85, however long; 82 is.
    #expect(levels([(0, 86), (1, 82.001), (10, 82.001)]) == [.serious, .serious, .serious])
    #expect(levels([(0, 86), (1, 82), (3.999, 82), (4, 82)]) == [.serious, .serious, .serious, .fair])
  }

  @Test func aWarmReadingBetweenStartsTheWaitAgain() {
    #expect(
      levels([(0, 86), (1, 80), (3, 84), (4, 80), (6, 80), (7, 80)])
        == [.serious, .serious, .serious, .serious, .serious, .fair])
  }

  @Test func fallsToWhatTheMarginLeaves() {
    // 78 is below fair (80), but not by 3 °C: fair stays. 77 does not keep it.
    #expect(levels([(0, 101), (1, 78), (4, 78)]) == [.critical, .critical, .fair])
    #expect(levels([(0, 101), (1, 77), (4, 77)]) == [.critical, .critical, .nominal])
  }

  @Test func theNewestTemperatureDecidesWhereTo() {
    #expect(levels([(0, 116), (1, 60), (4, 98)]) == [.shutdown, .shutdown, .critical])
  }

  @Test func risesWhileWaitingToFall() {
    #expect(levels([(0, 86), (1, 60), (2, 101), (4, 60)]) == [.serious, .serious, .critical, .critical])
  }

  @Test func aLevelWithoutTemperatureIsNotStuck() {
    #expect(levels([(0, 86), (1, nil), (3, nil), (4, nil)]) == [.serious, .serious, .serious, .nominal])
    // One failed reading alone changes nothing.
    #expect(levels([(0, 86), (1, nil), (2, 86), (5, nil)]) == [.serious, .serious, .serious, .serious])
    #expect(levels([(0, nil), (9, nil)]) == [.nominal, .nominal])
  }

  @Test func aClockThatStepsBackOnlyDelays() {
    #expect(
      levels([(10, 86), (11, 60), (5, 60), (7, 60), (8, 60)]) == [.serious, .serious, .serious, .serious, .nominal])
  }

  @Test func tripsMayChangeMeanwhile() {
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
  /// As the model feeds it a temperature.
  fileprivate mutating func update(millidegrees: Int?, thresholds: LevelThresholds?, now: MonotonicInstant) {
    update(Claim.temperature(millidegrees, thresholds), now: now)
  }
}
