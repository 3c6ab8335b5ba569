import CaptureCore
import CaptureTestKit
import SystemClocks
import Testing

@testable import SystemPressure

/// Single values on which the daemon must not act: jumps that the next reading does not confirm, and temperatures that
/// no machine has. The check and the model are plain values, and each test feeds them as the monitor does.
struct PlausibilityCheckTests {
  /// The check, the model and what the operator was told.
  final class Machine {
    private var check: PlausibilityCheck
    private var model: PressureModel
    private(set) var state = PressureState(causes: [], readings: PressureReadings(), readTime: 0)
    private(set) var told: [String] = []
    private var second: UInt64 = 0

    init(overrides: ThresholdOverrides = ThresholdOverrides()) {
      check = PlausibilityCheck(overrides: overrides)
      model = PressureModel(overrides: overrides)
    }

    var awaitsConfirmation: Bool { check.awaitsConfirmation }

    /// Takes readings that `change` fills, a second after the ones before, and returns the level.
    @discardableResult
    func read(camerasAreNew: Bool = true, _ change: (inout PressureReadings) -> Void) -> PressureLevel {
      var readings = PressureReadings()
      change(&readings)
      second += 1
      let checked = check.check(readings, after: state.readings, camerasAreNew: camerasAreNew)
      state = model.update(checked, now: .epoch + second * 1_000_000_000, wallTime: .epoch + second)
      told += check.takeNews().map { "\($0.source): \($0.text)" }
      return state.level
    }

    /// Takes one reading of a zone with the passive trip 80 °C and the critical trip 110 °C. Nil stands for a
    /// temperature that could not be read.
    @discardableResult
    func zone(_ degrees: Double?, trips: [TripPoint] = PlausibilityCheckTests.trips) -> PressureLevel {
      let millidegrees = degrees.map { Int($0 * 1000) }
      return read {
        $0.zones = [ThermalZone(name: "thermal_zone0", type: "test", millidegrees: millidegrees, trips: trips)]
      }
    }
  }

  static let trips = [TripPoint(.passive, millidegrees: 80_000), TripPoint(.critical, millidegrees: 110_000)]
  private let machine = Machine()

  /// A jump counts with the second reading, which the monitor takes at once. Nothing is told of a jump that is heat.
  @Test func aJumpCountsOnceTheNextReadingConfirmsIt() {
    #expect(machine.zone(45) == .nominal && !machine.awaitsConfirmation)
    #expect(machine.zone(106) == .nominal && machine.awaitsConfirmation)
    #expect(machine.state.readings.zones[0].millidegrees == 106_000, "the value stays the kernel's")
    #expect(machine.state.readings.zones[0].fault == "106.0 °C is a jump that the next reading has yet to confirm")
    #expect(machine.zone(107) == .shutdown && !machine.awaitsConfirmation)
    #expect(machine.state.readings.zones[0].fault == nil)
    #expect(machine.told == [])
  }

  /// One wrong value between right ones changes no level, however often it comes, and is told once.
  @Test(arguments: [81.0, 96, 106, 127, 128, 511, 255, -128, -1, 0])
  func oneWrongValueChangesNothing(_ wrong: Double) {
    for round in 0..<20 {
      #expect(machine.zone(45) == .nominal, "round \(round)")
      #expect(machine.zone(wrong) == .nominal, "round \(round)")
    }
    #expect(machine.zone(45) == .nominal)
    #expect(machine.told.count == (wrong > 45 || wrong < -60 ? 1 : 0), "\(machine.told)")
  }

  /// A wrong value while the machine is hot neither raises the level nor ends it.
  @Test(arguments: [107.0, 127, 511, -128, 0])
  func oneWrongValueWhileHotChangesNothing(_ wrong: Double) {
    for degrees in [72.0, 78, 84] { machine.zone(degrees) }
    #expect(machine.state.level == .serious)
    for _ in 0..<20 {
      #expect(machine.zone(wrong) == .serious)
      #expect(machine.zone(84) == .serious)
    }
  }

  /// Heat that rises by steps of at most 10 °C counts with each reading, without a second one.
  @Test func heatThatRisesStepByStepCountsAtOnce() {
    var levels: [PressureLevel] = []
    for degrees in [66.0, 76, 86, 96, 106] {
      levels.append(machine.zone(degrees))
      #expect(!machine.awaitsConfirmation)
    }
    #expect(levels == [.nominal, .fair, .serious, .critical, .shutdown])
  }

  /// A processor that works in bursts swings by more than 10 °C. A level that holds needs no confirmation again.
  @Test func aSwingAtAHeldLevelKeepsTheLevel() {
    machine.zone(79)
    machine.zone(88)
    for _ in 0..<10 {
      #expect(machine.zone(70) == .serious)
      #expect(machine.zone(88) == .serious && !machine.awaitsConfirmation)
    }
  }

  /// A jump below all thresholds is no news, so the monitor does not read more often for it.
  @Test func aJumpThatAsksForNoLevelNeedsNoConfirmation() {
    machine.zone(30)
    #expect(machine.zone(60) == .nominal && !machine.awaitsConfirmation)
    #expect(machine.state.readings.zones[0].fault == nil)
  }

  /// A temperature that no machine has does not count, however long it stays. Its level ends like that of a source
  /// that cannot be read.
  @Test func aTemperatureOutsideOfAllMachinesNeverCounts() {
    for degrees in [79.0, 84] { machine.zone(degrees) }
    #expect(machine.zone(511) == .serious)
    for _ in 0..<3 { machine.zone(511) }
    #expect(machine.state.level == .nominal && !machine.awaitsConfirmation)
    #expect(machine.state.readings.zones[0].millidegrees == 511_000)
    #expect(machine.told == ["thermal_zone0: 511.0 °C does not count, because it is not between -60.0 °C and 200.0 °C"])
  }

  /// What came before a wrong value does not make the next one right: two different wrong values are no confirmation.
  @Test func aTemperatureOutsideOfAllMachinesConfirmsNothing() {
    machine.zone(45)
    machine.zone(511)
    #expect(machine.zone(90) == .nominal && machine.awaitsConfirmation)
    #expect(machine.zone(45) == .nominal)
  }

  /// A trip that is wrong for one reading is a jump, too, although the temperature stands still.
  @Test func aTripThatIsWrongOnceChangesNothing() {
    machine.zone(70)
    #expect(machine.zone(70, trips: [TripPoint(.critical, millidegrees: 70_000)]) == .nominal)
    #expect(machine.awaitsConfirmation)
    #expect(machine.zone(70) == .nominal)
    for _ in 0..<2 { machine.zone(70, trips: [TripPoint(.passive, millidegrees: 65_000)]) }
    #expect(machine.state.level == .serious, "trips that stay are the machine's")
  }

  /// The first reading of a source needs a second one, and a source that was unreadable is as new.
  @Test func theFirstReadingNeedsASecondOne() {
    #expect(machine.zone(90) == .nominal && machine.awaitsConfirmation)
    #expect(machine.zone(90) == .serious)
    let other = Machine()
    other.zone(nil)
    #expect(other.zone(90) == .nominal)
    #expect(other.zone(88) == .serious)
  }

  /// The history and the trend leave out what does not count, because a chart up to 511 °C shows nothing else.
  @Test func theHistoryAndTheTrendLeaveItOut() throws {
    var history = PressureHistory()
    for degrees in [45.0, 511, 106] + Array(repeating: 45, count: 20) {
      machine.zone(degrees)
      history.record(machine.state)
    }
    let point = try #require(history.points(in: .epoch ..< .distantFuture, atMost: 1).first)
    #expect(point.temperatures.map(\.maximum) == [45_000] && point.samples == 23)
    #expect(machine.state.readings.zones[0].trendMillidegreesPerMinute == 0)
  }

  /// A camera's sensor is asked once a second, and the monitor reads more often. A value cannot confirm itself.
  @Test func aCamerasValueDoesNotConfirmItself() {
    func camera(_ degrees: Int, isNew: Bool) -> PressureLevel {
      machine.read(camerasAreNew: isNew) {
        $0.cameras = [CameraTemperature(device: "cam", control: "t", millidegrees: degrees * 1_000)]
      }
    }
    #expect(camera(50, isNew: true) == .nominal)
    #expect(camera(90, isNew: true) == .nominal)
    for _ in 0..<8 { #expect(camera(90, isNew: false) == .nominal && machine.awaitsConfirmation) }
    #expect(camera(50, isNew: true) == .nominal)
    #expect(machine.told == ["devices/cam: 90.0 °C does not count, because the next reading did not confirm it"])
    #expect(camera(90, isNew: true) == .nominal)
    #expect(camera(90, isNew: true) == .critical)
    #expect(camera(90, isNew: false) == .critical)
  }

  /// Waiting tasks: the kernel's average cannot jump from nothing to everything. A first reading counts, because it is
  /// an average already.
  @Test func aJumpOfWaitingTasksIsConfirmed() {
    func memory(_ share: Int) -> PressureLevel {
      machine.read { $0.stalls = [ResourceStall(.memory, .host, someCentipercent: share)] }
    }
    #expect(memory(60_00) == .serious)
    let other = Machine()
    func later(_ share: Int) -> PressureLevel {
      other.read { $0.stalls = [ResourceStall(.memory, .host, someCentipercent: share)] }
    }
    #expect([later(0), later(90_00), later(0)] == [.nominal, .nominal, .nominal])
    #expect([later(18_00), later(33_00), later(51_00)] == [.nominal, .fair, .serious])
  }

  /// A battery whose firmware is empty for one reading is not empty, and one that is too hot for one reading is not.
  @Test func aPowerSupplyThatIsWrongOnceChangesNothing() {
    func battery(_ level: String, health: String = "Good") -> PressureLevel {
      machine.read {
        var battery = PowerSupply(name: "BAT0", type: "Battery")
        (battery.status, battery.capacityLevel, battery.health) = ("Discharging", level, health)
        $0.powerSupplies = [battery]
      }
    }
    #expect([battery("Normal"), battery("Critical"), battery("Normal")] == [.nominal, .nominal, .nominal])
    #expect([battery("Normal", health: "Overheat"), battery("Normal")] == [.nominal, .nominal])
    #expect([battery("Low"), battery("Low")] == [.nominal, .fair])
    #expect([battery("Critical"), battery("Critical")] == [.fair, .serious])
  }
}
