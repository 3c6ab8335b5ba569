import FirstlightAPI
import FirstlightTestKit
import Foundation
import RPCCore
import SwiftProtobuf
import SystemPressure
import Testing

/// What PressureService and its drills tell clients. Which files make which level is tested with the module.
@Suite(.timeLimit(.minutes(1))) struct PressureCallsTests {
  private typealias State = Firstlight_V1_SystemPressureState

  /// The files of a thermal zone of a processor.
  private static func zone(_ celsius: Int) -> [String: String] {
    let folder = "sys/class/thermal/thermal_zone0"
    return [
      "\(folder)/type": "x86_pkg_temp", "\(folder)/temp": "\(celsius)000",
      "\(folder)/trip_point_0_type": "passive", "\(folder)/trip_point_0_temp": "80000",
      "\(folder)/trip_point_1_type": "hot", "\(folder)/trip_point_1_temp": "95000",
      "\(folder)/trip_point_2_type": "critical", "\(folder)/trip_point_2_temp": "105000",
    ]
  }

  private static func stall(_ some: Int, _ full: Int) -> String {
    "some avg10=\(some).00 avg60=0.00 avg300=0.00 total=1\nfull avg10=\(full).00 avg60=0.00 avg300=0.00 total=1"
  }

  private func state(of machine: [String: String], _ thresholds: String? = nil) async throws -> State {
    try await InProcessDaemon.run {
      $0.machine = machine
      guard let thresholds else { return }
      let isRead = $0.thresholds.add(thresholds)
      #expect(isRead)
    } _: {
      try await present(of: $0)
    }
  }

  private func present(of daemon: InProcessDaemon) async throws -> State {
    let response: Firstlight_V1_GetSystemPressureResponse = try await daemon.call(
      Firstlight_V1_PressureService.getSystemPressure, Firstlight_V1_GetSystemPressureRequest())
    return response.state
  }

  private func watch(_ daemon: InProcessDaemon) throws -> ResponseStream<Firstlight_V1_WatchSystemPressureResponse> {
    try daemon.stream(
      Firstlight_V1_PressureService.watchSystemPressure, Firstlight_V1_WatchSystemPressureRequest())
  }

  @Test func aMachineWithoutSensorsIsNominal() async throws {
    let state = try await state(of: [:])
    #expect(state.level == .nominal)
    #expect(state.factors.isEmpty && state.readings.isEmpty && state.causes.isEmpty && !state.simulated)
  }

  @Test func thePresentStateHasTheReadingsBehindIt() async throws {
    try await InProcessDaemon.run {
      $0.machine = Self.zone(82)
    } _: { daemon in
      let state = try await present(of: daemon)
      #expect(state.level == .serious)
      #expect(state.factors == [.systemTemperature])
      let reading = try #require(state.readings.first)
      #expect((reading.zone, reading.type) == ("thermal_zone0", "x86_pkg_temp"))
      #expect(reading.temperatureMillidegrees == 82_000)
      #expect(reading.trips.map(\.type) == ["passive", "hot", "critical"])
      #expect(reading.trips.map(\.temperatureMillidegrees) == [80_000, 95_000, 105_000])
      #expect(reading.level == .serious)
      #expect(try await watch(daemon).next()?.state == state, "a watcher gets it first")
    }
  }

  /// Every kind of reading has its list, and nothing is in two of them.
  @Test func eachKindOfReadingIsTold() async throws {
    var machine = Self.zone(40)
    machine.merge([
      "sys/class/thermal/cooling_device0/type": "Processor",
      "sys/class/thermal/cooling_device0/cur_state": "0",
      "sys/class/thermal/cooling_device0/max_state": "10",
      "sys/class/hwmon/hwmon0/name": "coretemp",
      "sys/class/hwmon/hwmon0/temp1_label": "Package id 0",
      "sys/class/hwmon/hwmon0/temp1_input": "52000",
      "sys/class/hwmon/hwmon0/temp1_max": "86000",
      "sys/class/hwmon/hwmon0/temp1_crit": "100000",
      "sys/class/hwmon/hwmon1/name": "rpi_volt",
      "sys/class/hwmon/hwmon1/in0_lcrit_alarm": "0",
      "sys/class/power_supply/BAT0/type": "Battery",
      "sys/class/power_supply/BAT0/status": "Discharging",
      "sys/class/power_supply/BAT0/capacity": "80",
      "sys/devices/system/cpu/cpufreq/policy0/scaling_max_freq": "2400000",
      "sys/devices/system/cpu/cpufreq/policy0/cpuinfo_max_freq": "4700000",
      "sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count": "3",
      "proc/pressure/cpu": Self.stall(1, 0),
    ]) { $1 }
    let state = try await state(of: machine)
    #expect(state.level == .nominal)
    #expect(state.readings.map(\.zone) == ["thermal_zone0"])
    #expect(state.sensors.map(\.temperatureMillidegrees) == [52_000])
    #expect(state.coolingDevices.map(\.type) == ["Processor"])
    #expect(state.frequencyLimits.count == 1)
    #expect(state.throttleCounters.count == 1)
    #expect(state.powerSupplies.count == 1)
    #expect(state.supplyAlarms.count == 1)
    #expect(state.stalls.map(\.somePercent) == [1])
    #expect(state.faults.isEmpty)
  }

  @Test(arguments: [
    (
      ["sys/class/hwmon/hwmon0/name": "rpi_volt", "sys/class/hwmon/hwmon0/in0_lcrit_alarm": "1"],
      Firstlight_V1_SystemPressureFactor.peakPower, Firstlight_V1_SystemPressureLevel.serious, "hwmon0/in0"
    ),
    (["sys/devices/platform/soc/soc:firmware/get_throttled": "50005"], .peakPower, .serious, "get_throttled"),
    (["sys/devices/platform/soc/soc:firmware/get_throttled": "8"], .systemTemperature, .fair, "get_throttled"),
    (zone(106), .systemTemperature, .shutdown, "thermal_zone0"),
    (["proc/pressure/cpu": stall(99, 0)], .cpuPressure, .serious, "host/cpu"),
    (["proc/pressure/memory": stall(100, 100)], .memoryPressure, .serious, "host/memory"),
    (["proc/pressure/io": stall(70, 0)], .ioPressure, .fair, "host/io"),
    (
      ["proc/self/cgroup": "0::/", "sys/fs/cgroup/memory.pressure": stall(60, 20)], .memoryPressure, .serious,
      "cgroup/memory"
    ),
  ]) func theCauseNamesItsSource(
    _ machine: [String: String], _ factor: Firstlight_V1_SystemPressureFactor,
    _ level: Firstlight_V1_SystemPressureLevel, _ source: String
  ) async throws {
    let state = try await state(of: machine)
    #expect(state.level == level)
    #expect(state.factors == [factor])
    #expect(state.causes == [.with { ($0.factor, $0.level, $0.source) = (factor, level, source) }])
  }

  @Test func aFaultShowsInItsReadingAndIsNoPressure() async throws {
    var machine = Self.zone(40)
    machine["sys/class/thermal/thermal_zone0/temp"] = "hot"
    machine["proc/pressure/memory"] = "gone fishing"
    machine["sys/class/hwmon"] = "in the way"
    let state = try await state(of: machine)
    #expect(state.level == .nominal)
    #expect(state.readings.first?.fault == "temp is not a number")
    #expect(state.readings.first?.hasTemperatureMillidegrees == false)
    #expect(state.stalls.first?.fault == "memory is not pressure stall information")
    #expect(state.stalls.first?.hasSomePercent == false)
    #expect(state.faults.count == 1 && state.faults[0].hasSuffix("class/hwmon is not a folder"))
  }

  /// The zone's own trips are shown also when other thresholds count.
  @Test func operatorsSetThresholds() async throws {
    let state = try await state(of: Self.zone(55), "x86_pkg_temp=30/40/50/60")
    #expect(state.level == .critical)
    #expect(state.readings.first?.trips.map(\.temperatureMillidegrees) == [80_000, 95_000, 105_000])
  }

  @Test func aDrillIsToldAndCanBeEnded() async throws {
    try await InProcessDaemon.run {
      $0.machine = Self.zone(40)
    } _: { daemon in
      let states = try watch(daemon)
      #expect(try await states.next()?.state.level == .nominal)
      let answer: Firstlight_Drill_V1_SimulateLevelResponse = try await daemon.call(
        Firstlight_Drill_V1_PressureDrillService.simulateLevel,
        Firstlight_Drill_V1_SimulateLevelRequest.with {
          ($0.level, $0.factor, $0.duration.seconds) = (.shutdown, .cameraTemperature, 60)
        })
      #expect(answer.state.simulated && answer.state.level == .shutdown)
      let told = try #require(try await states.next()).state
      #expect(told.simulated && told.level == .shutdown)
      #expect(told.factors == [.cameraTemperature])
      #expect(told.causes.map(\.source) == ["drill"])
      try await daemon.simulate(.nominal)
      let last = try #require(try await states.next()).state
      #expect(!last.simulated && last.level == .nominal)
      #expect(try await history(daemon).map(\.worstLevel) == [.nominal], "the history has no drills")
    }
  }

  @Test(
    arguments: [
      .init(), .with { ($0.level, $0.duration.seconds) = (.UNRECOGNIZED(9), 1) }, .with { $0.level = .fair },
      .with { ($0.level, $0.duration.seconds) = (.fair, 3601) },
      .with { ($0.level, $0.duration.seconds, $0.factor) = (.fair, 1, .UNRECOGNIZED(99)) },
    ] as [Firstlight_Drill_V1_SimulateLevelRequest])
  func aDrillOutOfRangeIsRefused(_ request: Firstlight_Drill_V1_SimulateLevelRequest) async throws {
    try await InProcessDaemon.run { daemon in
      let error = try await daemon.refusal(of: Firstlight_Drill_V1_PressureDrillService.simulateLevel, request)
      #expect(error.summary == "INVALID_ARGUMENT INVALID_ARGUMENT")
      #expect(try await present(of: daemon).level == .nominal)
    }
  }

  private func history(
    _ daemon: InProcessDaemon, _ request: Firstlight_V1_GetPressureHistoryRequest = .init()
  ) async throws -> [Firstlight_V1_PressureHistoryPoint] {
    let response: Firstlight_V1_GetPressureHistoryResponse = try await daemon.call(
      Firstlight_V1_PressureService.getPressureHistory, request)
    return response.history.points
  }

  @Test func theHistoryHoldsWhatWasRead() async throws {
    try await InProcessDaemon.run {
      $0.machine = Self.zone(40)
    } _: { daemon in
      let states = try watch(daemon)
      try "82000".write(
        toFile: "\(daemon.folder)/sys/class/thermal/thermal_zone0/temp", atomically: false, encoding: .utf8)
      _ = try await states.through { $0.state.level == .serious }
      let point = try #require(try await history(daemon, .with { $0.maxPoints = 1 }).first)
      #expect((point.bestLevel, point.worstLevel) == (.nominal, .serious))
      #expect(point.samples >= 2)
      let summary = try #require(point.temperatures.first)
      #expect(summary.source == "thermal_zone0")
      #expect(summary.minimumMillidegrees == 40_000 && summary.maximumMillidegrees == 82_000)
      #expect(summary.meanMillidegrees > 40_000 && summary.meanMillidegrees < 82_000)
      #expect(try await history(daemon, .with { $0.endTime = point.startTime }) == [])
    }
  }

  @Test(
    arguments: [
      .with { $0.maxPoints = 0 }, .with { $0.maxPoints = 1441 },
      .with { ($0.startTime.nanos, $0.endTime.nanos) = (2, 2) }, .with { $0.startTime.seconds = -1 },
    ] as [Firstlight_V1_GetPressureHistoryRequest])
  func aHistoryOutOfRangeIsRefused(_ request: Firstlight_V1_GetPressureHistoryRequest) async throws {
    try await InProcessDaemon.run { daemon in
      let error = try await daemon.refusal(of: Firstlight_V1_PressureService.getPressureHistory, request)
      #expect(error.summary == "INVALID_ARGUMENT INVALID_ARGUMENT")
    }
  }
}
