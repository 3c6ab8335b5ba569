import CaptureCore
import CaptureTestKit
import SystemClocks
import Testing

@testable import SystemPressure

/// Which levels readings other than thermal zones ask for, and how the levels of all readings add up to a state.
struct PressureClaimsTests {
  /// Holds the model of one test. A class, because the argument of an expectation cannot change a value.
  private final class Feed {
    var model = PressureModel()
  }
  private let feed = Feed()

  /// Feeds readings that `change` fills, at `second`, and returns the model's state.
  private func update(second: Double, _ change: (inout PressureReadings) -> Void) -> PressureState {
    var readings = PressureReadings()
    change(&readings)
    return feed.model.update(readings, now: .epoch + UInt64(second * 1e9), wallTime: 0)
  }

  /// The level that one reading of pressure stall information gives to a new model.
  private static func level(_ stall: ResourceStall) -> PressureLevel {
    var model = PressureModel()
    return model.update(PressureReadings(stalls: [stall]), now: 0, wallTime: 0).level
  }

  /// The arguments are the thresholds of each resource in hundredths of a percent: fair and serious for the time that
  /// some tasks wait, then fair and serious for the time that all tasks wait (`full`).
  @Test(arguments: [
    (ResourceStall.Resource.cpu, 80_00, 95_00, 20_00, 50_00), (.memory, 20_00, 50_00, 5_00, 20_00),
    (.io, 60_00, 90_00, 30_00, 60_00),
  ])
  func levelsOfWaitingBeginExactlyAtTheirThresholds(
    _ resource: ResourceStall.Resource, _ fair: Int, _ serious: Int, _ fullFair: Int, _ fullSerious: Int
  ) {
    let begins: [(Int, PressureLevel)] = [
      (fair - 1, .nominal), (fair, .fair), (serious - 1, .fair), (serious, .serious),
    ]
    for (some, level) in begins {
      #expect(Self.level(ResourceStall(resource, .host, someCentipercent: some, fullCentipercent: 0)) == level)
    }
    let fullBegins = [(fullFair - 1, PressureLevel.nominal), (fullFair, .fair), (fullSerious, .serious)]
    for (full, level) in fullBegins {
      #expect(Self.level(ResourceStall(resource, .cgroup, someCentipercent: 0, fullCentipercent: full)) == level)
    }
  }

  /// Waiting for every resource all the time gives the level serious and no worse level. Each resource of the host and
  /// of the cgroup is a cause of its own.
  @Test func waitingAloneIsNeverWorseThanSerious() {
    let stalls = ResourceStall.Resource.allCases.flatMap { resource in
      [ResourceStall.Scope.host, .cgroup].map {
        ResourceStall(resource, $0, someCentipercent: 100_00, fullCentipercent: 100_00)
      }
    }
    var model = PressureModel()
    let state = model.update(PressureReadings(stalls: stalls), now: 0, wallTime: 0)
    #expect(state.level == .serious)
    #expect(state.factors == [.cpuPressure, .memoryPressure, .ioPressure])
    #expect(state.causes.count == 6)
  }

  /// A level of waiting falls when the share of time was more than a fifth below the level's threshold for 3 s. From
  /// half the lowest threshold on, the model is warm.
  @Test func waitingFallsWhenAFifthLowerForThreeSeconds() {
    func memory(_ some: Int) -> (inout PressureReadings) -> Void {
      { $0.stalls = [ResourceStall(.memory, .host, someCentipercent: some, fullCentipercent: 0)] }
    }
    #expect(update(second: 0, memory(50_00)).level == .serious)
    #expect(update(second: 10, memory(40_00)).level == .serious)
    #expect(update(second: 11, memory(39_99)).level == .serious)
    #expect(update(second: 13, memory(39_99)).level == .serious)
    #expect(update(second: 14, memory(39_99)).level == .fair)
    #expect(update(second: 15, memory(0)).level == .fair)
    #expect(update(second: 18, memory(0)).level == .nominal)
    #expect(!feed.model.isWarm)
    #expect(update(second: 19, memory(10_00)).level == .nominal)
    #expect(feed.model.isWarm, "10 % is half of what gives the level fair")
  }

  /// A state lists every cause with its own level, the worst first, and names only the factors of the causes that give
  /// its level.
  @Test func aStateListsAllCausesAndOnlyTheFactorsOfTheWorst() {
    let trips = [TripPoint(.hot, millidegrees: 100_000)]
    let state = update(second: 0) {
      $0.zones = [ThermalZone(name: "thermal_zone0", type: "test", millidegrees: 101_000, trips: trips)]
      $0.stalls = [ResourceStall(.io, .host, someCentipercent: 70_00)]
      $0.supplyAlarms = [SupplyAlarm(name: "get_throttled", chip: "firmware", warnings: [.underVoltage])]
    }
    #expect(state.level == .critical)
    #expect(state.factors == [.systemTemperature])
    #expect(
      state.causes == [
        PressureCause(factor: .systemTemperature, level: .critical, source: "thermal_zone0"),
        PressureCause(factor: .peakPower, level: .serious, source: "get_throttled"),
        PressureCause(factor: .ioPressure, level: .fair, source: "host/io"),
      ])
    #expect(state.readings.supplyAlarms[0].level == .serious)
    #expect(state.readings.stalls[0].level == .fair)
  }

  /// A sensor with only an upper limit gives no level, because an unconnected input of a board is always above its
  /// upper limit. With a critical limit a sensor gives levels up to critical, never shutdown.
  @Test func sensorsNeedACriticalLimitAndNeverGiveShutdown() {
    func level(_ millidegrees: Int, maximum: Int? = nil, critical: Int? = nil) -> PressureLevel {
      let sensor = TemperatureSensor(
        name: "hwmon0/temp1", chip: "test", millidegrees: millidegrees, maximumMillidegrees: maximum,
        criticalMillidegrees: critical)
      var model = PressureModel()
      var readings = PressureReadings()
      readings.sensors = [sensor]
      return model.update(readings, now: 0, wallTime: 0).level
    }
    #expect(level(200_000, maximum: 80_000) == .nominal)
    #expect(level(200_000) == .nominal)
    #expect(level(200_000, maximum: 80_000, critical: 100_000) == .critical)
    #expect(level(99_999, maximum: 80_000, critical: 100_000) == .serious)
    #expect(level(79_999, maximum: 80_000, critical: 100_000) == .fair)
    #expect(level(74_999, maximum: 80_000, critical: 100_000) == .nominal)
    #expect(level(90_000, critical: 100_000) == .serious)
  }

  /// A processor that is switched on brings the count of its past. Only a count that has grown since the same
  /// processor's last reading is throttling.
  @Test func switchingAProcessorOnIsNoThrottling() {
    func counters(_ events: [String: Int]) -> (inout PressureReadings) -> Void {
      { $0.throttleCounters = [ThrottleCounter(processors: events)] }
    }
    #expect(update(second: 0, counters(["cpu0": 7])).level == .nominal)
    #expect(update(second: 1, counters(["cpu0": 7, "cpu1": 90])).level == .nominal)
    #expect(update(second: 2, counters(["cpu1": 90])).level == .nominal)
    #expect(update(second: 3, counters(["cpu0": 7, "cpu1": 91])).level == .fair, "cpu1 was throttled")
  }

  /// A throttle counter that grows gives the level fair, which ends 3 s after the last growth. The count since boot, a
  /// count that falls and a count that cannot be read give no level.
  @Test func throttlingIsFairWhileTheCounterGrows() {
    func counter(_ events: Int?) -> (inout PressureReadings) -> Void {
      { $0.throttleCounters = [ThrottleCounter(processors: events.map { ["cpu0": $0] } ?? [:])] }
    }
    #expect(update(second: 0, counter(7)).level == .nominal, "what happened before is over")
    #expect(update(second: 1, counter(8)).level == .fair)
    #expect(update(second: 2, counter(8)).level == .fair)
    #expect(update(second: 5, counter(8)).level == .nominal)
    #expect(update(second: 6, counter(3)).level == .nominal, "a processor was switched off")
    #expect(update(second: 7, counter(nil)).level == .nominal)
    #expect(update(second: 8, counter(9)).level == .nominal)
  }

  /// The arguments are the battery's status, capacity level and percentage. The capacity level of a discharging battery
  /// decides, and the percentage where the capacity level is unknown. A battery that does not discharge gives no level,
  /// and neither does the battery of a device such as a mouse.
  @Test(arguments: [
    ("Discharging", "Critical", nil, PressureLevel.serious), ("Discharging", "Low", 50, .fair),
    ("Discharging", "Normal", 3, .nominal), ("Discharging", "", 5, .serious), ("Discharging", "Unknown", 15, .fair),
    ("Discharging", "", 16, .nominal), ("Charging", "Critical", 1, .nominal), ("", "", 0, .nominal),
  ])
  func aLowBatteryIsPressure(_ status: String, _ capacityLevel: String, _ percent: Int?, _ level: PressureLevel) {
    var battery = PowerSupply(name: "BAT0", type: "Battery")
    battery.status = status
    battery.capacityLevel = capacityLevel
    battery.capacityPercent = percent
    var readings = PressureReadings()
    readings.powerSupplies = [battery]
    var model = PressureModel()
    let state = model.update(readings, now: 0, wallTime: 0)
    #expect(state.level == level)
    #expect(state.factors == (level == .nominal ? [] : [.peakPower]))
    readings.powerSupplies[0].suppliesDevice = true
    var other = PressureModel()
    #expect(other.update(readings, now: 0, wallTime: 0).level == .nominal)
  }

  /// A source that vanishes stays in the readings for 3 s, with its level and a fault. The model then forgets the
  /// source, so that its level does not stay for ever.
  @Test func sourcesThatVanishAreForgottenAfterThreeSeconds() {
    let before = update(second: 0) {
      $0.stalls = [ResourceStall(.io, .cgroup, someCentipercent: 95_00)]
      $0.supplyAlarms = [SupplyAlarm(name: "hwmon1/in0", chip: "rpi_volt", warnings: [.underVoltage])]
      $0.sensors = [
        TemperatureSensor(name: "hwmon0/temp1", chip: "test", millidegrees: 99_000, criticalMillidegrees: 100_000)
      ]
    }
    #expect(before.causes.count == 3)
    let held = update(second: 1) { _ in }
    #expect(held.level == .serious)
    #expect(
      held.readings.faultsOfReadings.sorted() == [
        "the alarm is gone", "the pressure stall information is gone", "the sensor is gone",
      ])
    #expect(update(second: 4) { _ in } == PressureState(causes: [], readings: .init(), readTime: 0))
  }

  /// An operator may set thresholds for a type of zone, for one zone or for a chip. All other sources keep the limits
  /// that the machine gives.
  @Test func operatorsSetThresholds() throws {
    var overrides = ThresholdOverrides()
    for entry in ["cpu-thermal=40/50.5/60/70", "thermal_zone1=900/900", "nvme=30/35"] {
      let wasRead = overrides.add(entry)
      #expect(wasRead, "\(entry)")
    }
    var model = PressureModel(overrides: overrides)
    let trips = [TripPoint(.critical, millidegrees: 60_000)]
    var readings = PressureReadings(zones: [
      ThermalZone(name: "thermal_zone0", type: "cpu-thermal", millidegrees: 50_500),
      ThermalZone(name: "thermal_zone1", type: "acpitz", millidegrees: 90_000, trips: trips),
      ThermalZone(name: "thermal_zone2", type: "acpitz", millidegrees: 36_000, trips: trips),
    ])
    readings.sensors = [TemperatureSensor(name: "hwmon0/temp1", chip: "nvme", millidegrees: 30_000)]
    let state = model.update(readings, now: 0, wallTime: 0)
    #expect(state.readings.zones.map(\.level) == [.serious, .nominal, .fair])
    #expect(state.readings.sensors.map(\.level) == [.fair])
  }

  /// An entry that cannot be read, and an entry whose thresholds do not rise from level to level, is refused as a
  /// whole, so that an operator learns of a typing error.
  @Test(arguments: [
    "", "cpu", "cpu=", "=70/80", "cpu=70", "cpu=70/80/90/100/110", "cpu=80/70", "cpu=70//90", "cpu=hot/80",
    "cpu=nan/80", "cpu=70/inf", "cpu=70/1001",
  ])
  func malformedThresholdsAreRefused(_ entry: String) {
    var overrides = ThresholdOverrides()
    let wasRead = overrides.add(entry)
    #expect(!wasRead)
    #expect(overrides == ThresholdOverrides())
  }

  /// A trend is in thousandths of a degree per minute and compares readings that are at least 15 s apart. A missing
  /// temperature makes the trend begin anew.
  @Test func aTrendNeedsFifteenSeconds() {
    var trend = TemperatureTrend()
    func at(_ second: UInt64, _ millidegrees: Int?) -> Int? {
      trend.update(millidegrees, now: .epoch + second * 1_000_000_000)
    }
    #expect(at(0, 40_000) == nil)
    #expect(at(14, 40_000) == nil)
    #expect(at(15, 41_000) == 4_000)
    #expect(at(20, 40_000) == 0)
    #expect(at(30, 41_000) == 0, "compared with the reading of second 15")
    #expect(at(40, 36_000) == -12_000)
    #expect(at(41, nil) == nil)
    #expect(at(42, 50_000) == nil, "the trend begins anew")
  }

  /// A drill adds a cause and leaves the readings as they are. A state counts as simulated only when no measured cause
  /// is as bad as the drill.
  @Test func aDrillAddsACauseAndHidesNone() {
    let causes = [PressureCause(factor: .systemTemperature, level: .serious, source: "thermal_zone0")]
    let measured = PressureState(causes: causes, readings: .init(), readTime: 1)
    func drilled(_ level: PressureLevel) -> PressureState {
      PressureDrill(level: level, factor: .cameraTemperature, end: 0).applied(to: measured)
    }
    #expect(drilled(.nominal) == measured)
    #expect(drilled(.fair).level == .serious && !drilled(.fair).isSimulated)
    #expect(drilled(.fair).factors == [.systemTemperature])
    #expect(drilled(.shutdown).level == .shutdown && drilled(.shutdown).isSimulated)
    #expect(drilled(.shutdown).factors == [.cameraTemperature])
    #expect(drilled(.shutdown).causes.map(\.source) == ["drill", "thermal_zone0"])
  }

  /// The same trace of readings gives the same states twice. The trace has 2,000 random readings of several kinds, by
  /// turns wild and calm, and reaches every level; no level above serious comes without heat.
  @Test func aRecordedTraceReplaysToTheSameStates() {
    var random = SeededGenerator(seed: 7)
    let trips = [TripPoint(.passive, millidegrees: 85_000), TripPoint(.critical, millidegrees: 110_000)]
    let trace = (0..<2000).map { index in
      let isCalm = index / 20 % 2 == 0
      func stall(_ resource: ResourceStall.Resource, _ scope: ResourceStall.Scope) -> ResourceStall {
        ResourceStall(
          resource, scope, someCentipercent: Int.random(in: 0...(isCalm ? 10_00 : 100_00), using: &random))
      }
      var readings = PressureReadings(
        zones: (0..<Int.random(in: 0...2, using: &random)).map {
          ThermalZone(
            name: "thermal_zone\($0)", type: "test",
            millidegrees: Int.random(in: 20_000...(isCalm ? 60_000 : 115_000), using: &random), trips: trips)
        },
        stalls: [stall(.memory, .host), stall(.cpu, .cgroup)])
      readings.throttleCounters = [
        ThrottleCounter(processors: ["cpu0": isCalm ? 7 : Int.random(in: 0...9, using: &random)])
      ]
      return readings
    }
    func replay() -> [PressureState] {
      var model = PressureModel()
      return trace.enumerated().map { index, readings in
        model.update(readings, now: .epoch + UInt64(index) * 900_000_000, wallTime: .epoch + UInt64(index))
      }
    }
    let states = replay()
    #expect(states == replay())
    #expect(Set(states.map(\.level)) == Set(PressureLevel.allCases))
    #expect(states.allSatisfy { $0.level <= .serious || $0.factors == [.systemTemperature] })
  }
}
