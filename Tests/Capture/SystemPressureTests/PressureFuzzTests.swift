import CaptureCore
import CaptureTestKit
import Foundation
import SystemClocks
import Testing

@testable import SystemPressure

/// Random changes to the files of a whole machine.
struct PressureFuzzTests {
  /// Changes one random thing of a machine, reads the machine and feeds the model, 10,000 times over. Whatever the
  /// files hold, the daemon survives, every reading is valid, and no level stays once its source is calm or gone.
  @Test func readingsStayValidWhileAMachinesFilesChange() async {
    var random = SeededGenerator(seed: 2026)
    let tree = SysfsTree()
    let reader = PressureReader(sysfsRoot: tree.root, procfsRoot: tree.path("proc"))
    var model = PressureModel()
    var history = PressureHistory()
    var factors: Set<PressureFactor> = []
    var faults: Set<String> = []
    for round in 0..<10_000 {
      // Let other tests run, because they share the threads of Swift's pool with this one.
      await Task.yield()
      tree.changeSomethingAnywhere(using: &random)
      let readings = reader.read()
      let state = model.update(
        readings, now: .epoch + UInt64(round) * 700_000_000, wallTime: .epoch + UInt64(round) * 700_000_000)
      history.record(state)
      #expect(state.level == state.causes.map(\.level).max() ?? .nominal, "round \(round)")
      #expect(state.factors.isEmpty == (state.level == .nominal), "round \(round)")
      check(state.readings, round)
      factors.formUnion(state.causes.map(\.factor))
      faults.formUnion(state.readings.faultsOfReadings)
    }
    // These checks show that the rounds reached every factor and many faults. The readings have no cameras, so the
    // factor of their temperature cannot appear.
    #expect(factors == Set(PressureFactor.allCases).subtracting([.cameraTemperature]))
    #expect(faults.count > 50)
    #expect(history.points(in: .epoch ..< .distantFuture, atMost: 1440).map(\.samples).reduce(0, +) == 10_000)

    // No level stays once every file is there again and calm. Waiting that came back again and again may be held for 5
    // min.
    for folder in ["class", "devices", "proc", "fs"] { tree.remove(folder) }
    tree.makePC()
    tree.makeContainerFiles()
    var calm: PressureState?
    for second in stride(from: 7_100, through: 7_100 + 304, by: 4) {
      calm = model.update(reader.read(), now: .epoch + UInt64(second) * 1_000_000_000, wallTime: 0)
    }
    #expect(calm?.level == .nominal && calm?.causes == [], "\(calm?.causes ?? [])")
    #expect(calm?.readings.zones.first?.millidegrees == 37_000 && calm?.readings.faults == [])
    #expect(calm?.readings.stalls.count == 6)

    for folder in ["class", "devices", "proc", "fs"] { tree.remove(folder) }
    _ = model.update(reader.read(), now: 8_000_000_000_000, wallTime: 0)
    let end = model.update(reader.read(), now: 8_004_000_000_000, wallTime: 0)
    #expect(end.level == .nominal && end.readings.isEmpty, "a level is stuck")
  }

  /// Checks that a reading without a value has a fault, and that each value fits the types of the contract.
  private func check(_ readings: PressureReadings, _ round: Int) {
    for sensor in readings.sensors {
      #expect(sensor.millidegrees.map { (-273_150...999_999).contains($0) } ?? (sensor.fault != nil), "round \(round)")
      #expect(sensor.level <= .critical, "round \(round)")
    }
    for stall in readings.stalls {
      #expect(stall.someCentipercent.map { (0...100_00).contains($0) } ?? (stall.fault != nil), "round \(round)")
      #expect(stall.level <= .serious, "round \(round)")
    }
    for alarm in readings.supplyAlarms { #expect(alarm.warnings != nil || alarm.fault != nil, "round \(round)") }
    for limit in readings.frequencyLimits {
      #expect(limit.allowedKilohertz != nil || limit.fault != nil, "round \(round)")
    }
    for supply in readings.powerSupplies {
      #expect(supply.capacityPercent.map { (0...100).contains($0) } ?? true, "round \(round)")
    }
  }
}

extension SysfsTree {
  private static let files = [
    "class/thermal/cooling_device0/cur_state", "class/thermal/cooling_device0/max_state",
    "class/hwmon/hwmon1/temp1_input", "class/hwmon/hwmon1/temp1_max", "class/hwmon/hwmon1/temp1_crit",
    "class/hwmon/hwmon1/temp1_fault", "class/hwmon/hwmon1/name", "class/hwmon/hwmon2/in0_lcrit_alarm",
    "class/hwmon/hwmon2/name", "class/power_supply/BAT0/capacity", "class/power_supply/BAT0/capacity_level",
    "class/power_supply/BAT0/status", "class/power_supply/BAT0/health", "class/power_supply/BAT0/scope",
    "devices/system/cpu/cpufreq/policy0/scaling_max_freq",
    "devices/system/cpu/cpu0/thermal_throttle/core_throttle_count",
    "devices/platform/soc/soc:firmware/get_throttled", "proc/self/cgroup", "proc/pressure/cpu", "proc/pressure/memory",
    "proc/pressure/io", "fs/cgroup/cpu.pressure", "fs/cgroup/memory.pressure", "fs/cgroup/a/io.pressure",
  ]

  /// Changes one random thing of a machine that has every kind of source: puts a sound machine in place, writes a good
  /// or a bad file, puts something other than a file in a file's place, or removes a file or a folder.
  func changeSomethingAnywhere(using random: inout SeededGenerator) {
    let file = Self.files.randomElement(using: &random)!
    let folder = String(file[..<file.lastIndex(of: "/")!])
    let texts = [
      "", "\n", "-1", "0", "1", "3", "7", "50005", "8", "42000", "97000", "112000", "-274000", "65261850", "nct6775",
      "coretemp", "Discharging", "Critical", "Overheat", "Device", "NaN", "0x10", "--5", "2147483648",
      "9223372036854775807", "9223372036854775808", "\u{0}\u{0}", "温度", "0::/", "0::/a", "0::/../a",
      "some avg10=99.99 avg60=0.00 avg300=0.00 total=1", "some avg10=1.5", "some avg10=-1.00", "full avg10=99.99",
      stall(some: "100.00", full: "100.00"), stall(some: "0.00", full: "0.00"), stall(some: "0.00", full: "x"),
      String(repeating: "9", count: 300), String(repeating: "some avg10=1.00 ", count: 2000),
    ]
    switch Int.random(in: 0..<16, using: &random) {
    case 0:
      for folder in ["class", "devices", "proc", "fs"] { remove(folder) }
      makePC()
      makeRaspberryPi()
      makeContainerFiles()
    case 1: remove(["class", "devices", "proc", "fs"].randomElement(using: &random)!)
    case 2: remove(folder)
    case 3: remove(file)
    case 4:
      guard clear(file) else { return }
      symlink([".", "nowhere", "/dev/null", "/dev/zero"].randomElement(using: &random)!, path(file))
    case 5:
      remove(folder)
      symlink("nowhere", path(folder))
    case 6:
      guard clear(file) else { return }
      mkdir(path(file), 0o755)
    case 7: changeSomething(using: &random)
    case 8:
      let bytes = (0..<Int.random(in: 0..<40, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      if clear(file) { write(file, bytes) }
    default:
      let text = texts.randomElement(using: &random)!
      if clear(file) { write(file, text) }
    }
  }

  fileprivate func makeContainerFiles() {
    put(["proc/self/cgroup": "0::/"])
    makeStalls("proc/pressure", suffix: "")
    makeStalls("fs/cgroup", suffix: ".pressure")
    makeStalls("fs/cgroup/a", suffix: ".pressure")
  }

  /// Removes a file and makes its folder. Returns false when something that is no folder is in the way higher up.
  private func clear(_ file: String) -> Bool {
    remove(file)
    let folder = String(file[..<file.lastIndex(of: "/")!])
    if access(path(folder), F_OK) != 0 { remove(folder) }
    return (try? FileManager.default.createDirectory(atPath: path(folder), withIntermediateDirectories: true)) != nil
  }
}
