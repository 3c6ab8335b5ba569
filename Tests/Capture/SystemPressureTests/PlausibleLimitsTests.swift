import CaptureCore
import CaptureTestKit
import SystemClocks
import Testing

@testable import SystemPressure

/// Limits of firmware that cannot be meant, and sources that are at their limit from the start.
struct PlausibleLimitsTests {
  private let machine = PlausibilityCheckTests.Machine()

  private func zone(_ degrees: Double, _ trips: (TripPoint.Kind, Double)...) -> PressureLevel {
    machine.zone(degrees, trips: trips.map { TripPoint($0.0, millidegrees: Int($0.1 * 1000)) })
  }

  /// The zone of many desktop boards: 16.8 °C beside a critical trip of 20.8 °C. The trip is shown and told once.
  @Test func aCriticalTripBelowAColdMachineDoesNotCount() {
    for _ in 0..<5 { #expect(zone(16.8, (.critical, 20.8), (.hot, 19.8)) == .nominal) }
    #expect(machine.state.readings.zones[0].trips.map(\.millidegrees) == [20_800, 19_800])
    let faults = [
      "the critical trip of 20.8 °C does not count, because it is not between 60.0 °C and 200.0 °C",
      "the hot trip of 19.8 °C does not count, because it is not between 60.0 °C and 200.0 °C",
    ]
    #expect(machine.told == faults.map { "thermal_zone0: " + $0 })
    #expect(machine.state.readings.zones[0].fault == faults.joined(separator: "; "))
  }

  /// A limit of any kind that is not plausible is left out, and the others give the thresholds. Zero and less mean
  /// "none" and are no news.
  @Test(
    arguments: [
      ([(TripPoint.Kind.active, 35), (.active, 50), (.critical, 104)], 50, 1), ([(.passive, 44), (.hot, 95)], 85, 1),
      ([(.critical, 59), (.passive, 80)], 80, 1), ([(.critical, 255), (.passive, 80)], 80, 1),
      ([(.hot, 10), (.critical, 100)], 80, 1), ([(.critical, 0), (.hot, -274), (.passive, 80)], 80, 0),
      ([(.passive, 45), (.critical, 60)], 45, 0), ([(.critical, 200)], 180, 0),
    ] as [([(TripPoint.Kind, Int)], Int, Int)])
  func theOtherLimitsGiveTheThresholds(_ limits: [(TripPoint.Kind, Int)], _ serious: Int, _ told: Int) throws {
    let trips = limits.map { TripPoint($0.0, millidegrees: $0.1 * 1000) }
    #expect(try #require(LevelThresholds(trips: trips)).serious == serious * 1000)
    machine.zone(20, trips: trips)
    #expect(machine.told.count == told, "\(machine.told)")
  }

  /// A chip's limits are judged like trips. Without a plausible critical limit the sensor gives no level. Where the
  /// upper limit is above the critical one, all levels begin at the critical one.
  @Test(arguments: [
    (52, 86, 20, PressureLevel.nominal), (99, 86, 20, .nominal), (99, 86, 255, .nominal), (99, 86, 0, .nominal),
    (90, 20, 100, .serious), (84, 100, 85, .nominal), (86, 100, 85, .critical),
  ])
  func aChipsLimitsAreJudgedLikeTrips(_ degrees: Int, _ maximum: Int, _ critical: Int, _ level: PressureLevel) {
    for _ in 0..<2 { machine.sensor(degrees, maximum, critical) }
    #expect(machine.state.level == level)
  }

  /// A zone that is exactly at its critical trip since its first reading, or 20 °C above, is not so hot, because the
  /// kernel would have switched the machine off. Once it was seen below, it counts.
  @Test(arguments: [100.0, 120, 128]) func aZoneAtItsCriticalTripFromTheStartDoesNotCount(_ degrees: Double) {
    for _ in 0..<5 { #expect(zone(degrees, (.critical, 100)) == .nominal) }
    #expect(machine.told.count == 1)
    #expect(zone(89, (.critical, 100)) == .serious)
    #expect(zone(99, (.critical, 100)) == .shutdown)
    #expect(zone(100, (.critical, 100)) == .shutdown)
  }

  /// Some machines go on above their critical trip, so that a zone which moves there counts.
  @Test func aZoneThatMovesAboveItsCriticalTripCounts() {
    #expect(zone(106, (.critical, 105)) == .nominal)
    #expect(zone(107, (.critical, 105)) == .shutdown)
    #expect(machine.told == [])
    let other = PlausibilityCheckTests.Machine()
    for degrees in [105.0, 105, 106] { other.zone(degrees, trips: [TripPoint(.critical, millidegrees: 105_000)]) }
    #expect(other.state.level == .shutdown)
  }

  /// A hot zone that cannot be read for a moment, or shows a wrong value, is not new, so that its critical trip goes on
  /// to count.
  @Test func aHotZoneThatCannotBeReadForAMomentIsNotNew() {
    for degrees in [86.0, 96] { _ = zone(degrees, (.critical, 100)) }
    machine.zone(nil)
    #expect(zone(101, (.critical, 100)) == .shutdown)
    #expect(zone(511, (.critical, 100)) == .shutdown)
    #expect(zone(101, (.critical, 100)) == .shutdown)
  }

  /// A processor runs at its critical limit, so a sensor counts up to 20 °C above. Nothing is connected to one that is
  /// far above from the start, such as at 127 °C.
  @Test func aSensorFarAboveItsLimitFromTheStartDoesNotCount() {
    for _ in 0..<2 { machine.sensor(100, 86, 100) }
    #expect(machine.state.level == .critical)
    let other = PlausibilityCheckTests.Machine()
    for _ in 0..<2 { other.sensor(127, 86, 100) }
    #expect(other.state.level == .nominal && other.told.count == 1)
  }

  /// Some drivers give the present temperature as a limit. That shows as soon as the temperature moves.
  @Test func aLimitThatMovesWithTheTemperatureDoesNotCount() {
    for _ in 0..<2 { machine.sensor(65, 65, 65) }
    #expect(machine.state.level == .critical, "so far it may be the limit")
    for degrees in [66, 64, 64, 70] { machine.sensor(degrees, degrees, degrees) }
    #expect(machine.state.level == .nominal && machine.told.count == 1)
    // A limit that stays where it is, and is reached, is a limit.
    let other = PlausibilityCheckTests.Machine()
    for degrees in [86, 99, 100, 99, 86, 100] { other.sensor(degrees, 86, 100) }
    #expect(other.state.level == .critical)
  }

  /// The operator's thresholds count whatever they are, and the firmware's limits are no news beside them.
  @Test func anOperatorsThresholdsAreNotJudged() {
    var overrides = ThresholdOverrides()
    let isRead = overrides.add("test=10/20/30/40")
    #expect(isRead)
    let machine = PlausibilityCheckTests.Machine(overrides: overrides)
    for _ in 0..<2 { machine.zone(41, trips: [TripPoint(.critical, millidegrees: 20_800)]) }
    #expect(machine.state.level == .shutdown && machine.told == [])
  }

  /// A cooling device beyond its highest state and a processor's limit of 0 kHz are shown, and give no level.
  @Test func coolingDevicesGiveNoLevel() {
    let level = machine.read {
      $0.coolingDevices = [CoolingDevice(name: "cooling_device0", type: "fan", state: 99, maximumState: 3)]
      $0.frequencyLimits = [FrequencyLimit(name: "policy0", allowedKilohertz: 0, hardwareKilohertz: 1)]
    }
    #expect(level == .nominal)
  }
}

extension PlausibilityCheckTests.Machine {
  /// Takes one reading of a sensor, in degrees Celsius.
  fileprivate func sensor(_ degrees: Int, _ maximum: Int, _ critical: Int) {
    read {
      $0.sensors = [
        TemperatureSensor(
          name: "hwmon0/temp1", chip: "test", millidegrees: degrees * 1_000, maximumMillidegrees: maximum * 1_000,
          criticalMillidegrees: critical * 1_000)
      ]
    }
  }
}
