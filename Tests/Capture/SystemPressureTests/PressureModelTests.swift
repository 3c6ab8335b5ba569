import CaptureCore
import CaptureTestKit
import SystemClocks
import SystemPressure
import Testing

/// How the model turns readings of thermal zones into the state of the machine, over time.
struct PressureModelTests {
  static let trips = [
    TripPoint(.passive, millidegrees: 85_000), TripPoint(.hot, millidegrees: 100_000),
    TripPoint(.critical, millidegrees: 120_000),
  ]

  private func zone(_ index: Int, _ degrees: Int?, trips: [TripPoint] = trips) -> ThermalZone {
    ThermalZone(name: "thermal_zone\(index)", type: "test", millidegrees: degrees.map { $0 * 1000 }, trips: trips)
  }

  private func update(_ model: inout PressureModel, _ zones: [ThermalZone], second: UInt64) -> PressureState {
    model.update(PressureReadings(zones: zones), now: .epoch + second * 1_000_000_000, wallTime: 7)
  }

  /// A machine that shows no thermal zone is nominal and not warm, and its state has no readings.
  @Test func aMachineWithoutZonesIsNominal() {
    var model = PressureModel()
    let state = update(&model, [], second: 0)
    #expect(state == PressureState(causes: [], readings: PressureReadings(), readTime: 7))
    #expect(state.level == .nominal && state.factors.isEmpty && state.readings.isEmpty)
    #expect(!model.isWarm)
  }

  /// One reading a second leads up through every level and back, with 5 s at each temperature. A second run gives the
  /// same levels.
  @Test func theLevelRisesAndFallsThroughAllLevels() {
    func run() -> [PressureLevel] {
      var model = PressureModel()
      var levels: [PressureLevel] = []
      var second: UInt64 = 0
      for degrees in [42, 82, 88, 101, 116, 101, 88, 82, 42] {
        for _ in 0..<5 {
          let state = update(&model, [zone(0, degrees)], second: second)
          #expect(state.factors == (state.level == .nominal ? [] : [.systemTemperature]))
          if levels.last != state.level { levels.append(state.level) }
          second += 1
        }
      }
      return levels
    }
    let levels = run()
    #expect(levels == [.nominal, .fair, .serious, .critical, .shutdown, .critical, .serious, .fair, .nominal])
    #expect(run() == levels)
  }

  /// The machine has the level of its worst zone. The readings have the level of each zone.
  @Test func theWorstZoneGivesTheLevel() {
    var model = PressureModel()
    let cold = zone(0, 40, trips: [])
    let state = update(&model, [cold, zone(1, 101), zone(2, 82)], second: 0)
    #expect(state.level == .critical)
    #expect(state.readings.zones.map(\.level) == [.nominal, .critical, .fair])
    #expect(state.readings.zones.map(\.name) == ["thermal_zone0", "thermal_zone1", "thermal_zone2"])
  }

  /// Each zone waits its own 3 s before its level falls.
  @Test func eachZoneFallsIndependently() {
    var model = PressureModel()
    _ = update(&model, [zone(0, 88), zone(1, 101)], second: 0)
    _ = update(&model, [zone(0, 88), zone(1, 42)], second: 1)
    _ = update(&model, [zone(0, 42), zone(1, 42)], second: 3)
    #expect(update(&model, [zone(0, 42), zone(1, 42)], second: 4).readings.zones.map(\.level) == [.serious, .nominal])
    #expect(update(&model, [zone(0, 42), zone(1, 42)], second: 6).readings.zones.map(\.level) == [.nominal, .nominal])
  }

  /// Without trips the model cannot tell how hot is too hot, so the zone gives no level. The zone's temperature is in
  /// the readings all the same.
  @Test func aZoneWithoutTripsIsReportedAndNominal() {
    var model = PressureModel()
    let state = update(&model, [zone(0, 130, trips: [])], second: 0)
    #expect(state.level == .nominal)
    #expect(state.readings.zones.count == 1)
    #expect(state.readings.zones[0].millidegrees == 130_000)
  }

  /// The zone stays in the readings for 3 s, with a fault and without a temperature. The model then forgets the zone
  /// and its level.
  @Test func theLevelOfAVanishedZoneFallsAfterThreeSeconds() {
    var model = PressureModel()
    _ = update(&model, [zone(0, 40), zone(1, 88)], second: 0)
    let held = update(&model, [zone(0, 40)], second: 1)
    #expect(held.level == .serious)
    #expect(held.readings.zones[1].fault == "the zone is gone")
    #expect(held.readings.zones[1].millidegrees == nil)
    let relieved = update(&model, [zone(0, 40)], second: 4)
    #expect(relieved.level == .nominal)
    #expect(relieved.readings.zones.map(\.name) == ["thermal_zone0"])
  }

  /// A zone that is missing from one reading and then returns keeps its level and has no fault.
  @Test func aZoneThatReturnsKeepsItsLevel() {
    var model = PressureModel()
    _ = update(&model, [zone(1, 88)], second: 0)
    _ = update(&model, [], second: 1)
    let state = update(&model, [zone(1, 86)], second: 2)
    #expect(state.level == .serious)
    #expect(state.readings.zones.map(\.fault) == [nil])
  }

  @Test func aColdZoneThatVanishesIsForgottenAtOnce() {
    var model = PressureModel()
    _ = update(&model, [zone(0, 40)], second: 0)
    #expect(update(&model, [], second: 1).readings.isEmpty)
  }

  /// A temperature that cannot be read counts as cold: it never raises the level, and the level falls after 3 s without
  /// a temperature.
  @Test func anUnreadableTemperatureNeitherRaisesNorHoldsALevel() {
    var model = PressureModel()
    #expect(update(&model, [zone(0, nil)], second: 0).level == .nominal)
    #expect(update(&model, [zone(0, 101)], second: 1).level == .critical)
    #expect(update(&model, [zone(0, nil)], second: 2).level == .critical)
    #expect(update(&model, [zone(0, nil)], second: 5).level == .nominal)
  }

  /// The monitor reads often while the model is warm: from 10 °C below the threshold of fair on, and until the level is
  /// nominal again.
  @Test func warmBeginsTenDegreesBelowFairAndEndsWithTheLevel() {
    var model = PressureModel()
    _ = update(&model, [zone(0, 69)], second: 0)
    #expect(!model.isWarm)
    _ = update(&model, [zone(0, 70)], second: 1)
    #expect(model.isWarm)
    _ = update(&model, [zone(0, 82)], second: 2)
    _ = update(&model, [zone(0, 20)], second: 3)
    #expect(model.isWarm, "the level is still above nominal")
    _ = update(&model, [zone(0, 20)], second: 6)
    #expect(!model.isWarm)
  }

  @Test func zonesAreSortedByTheirNumbers() {
    var model = PressureModel()
    let state = update(&model, [zone(10, 40), zone(2, 40), zone(0, 40)], second: 0)
    #expect(state.readings.zones.map(\.name) == ["thermal_zone0", "thermal_zone2", "thermal_zone10"])
  }
}
