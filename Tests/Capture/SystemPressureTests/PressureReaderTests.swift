import CaptureCore
import CaptureTestKit
import SystemClocks
import Testing

@testable import SystemPressure

/// Reads whole machines, from their files to the state of the model.
struct PressureReaderTests {
  private let tree = SysfsTree()
  private var reader: PressureReader { PressureReader(sysfsRoot: tree.root, procfsRoot: tree.path("proc")) }

  private func state() -> PressureState {
    var model = PressureModel()
    return model.update(reader.read(), now: 0, wallTime: 0)
  }

  /// A laptop, in which neither an unconnected input nor a mouse's battery is pressure.
  @Test func pc() {
    tree.makePC()
    let readings = reader.read()
    #expect(readings.zones.map(\.name) == ["thermal_zone0"])
    #expect(
      readings.coolingDevices == [
        CoolingDevice(name: "cooling_device0", type: "Processor", state: 0, maximumState: 10),
        CoolingDevice(name: "cooling_device1", type: "intel_powerclamp", state: nil, maximumState: 100),
      ])
    // The sensors contain neither the chip that repeats the thermal zone nor the disk, which readings would keep awake.
    #expect(
      readings.sensors == [
        TemperatureSensor(
          name: "hwmon1/temp1", chip: "coretemp", label: "Package id 0", millidegrees: 52_000,
          maximumMillidegrees: 86_000, criticalMillidegrees: 100_000),
        TemperatureSensor(
          name: "hwmon2/temp1", chip: "nvme", label: "Composite", millidegrees: 41_850, maximumMillidegrees: 81_850,
          criticalMillidegrees: 84_850),
        TemperatureSensor(name: "hwmon2/temp2", chip: "nvme", millidegrees: 44_850),
        TemperatureSensor(
          name: "hwmon3/temp3", chip: "nct6775", label: "AUXTIN0", millidegrees: 97_000, maximumMillidegrees: 80_000),
      ])
    #expect(readings.frequencyLimits.map(\.name) == ["policy0", "policy1"])
    #expect(readings.frequencyLimits[0].allowedKilohertz == 2_400_000)
    #expect(readings.frequencyLimits[0].hardwareKilohertz == 4_700_000)
    #expect(readings.throttleCounters.first?.processors.count == 4)
    #expect(readings.throttleCounters.first?.events == 20)
    #expect(readings.faults == [])
    #expect(readings.powerSupplies.map(\.name) == ["AC", "BAT0", "hidpp_battery_0"])
    #expect(readings.powerSupplies.map(\.isOnline) == [false, nil, nil])
    #expect(readings.powerSupplies[1].capacityPercent == 80)
    #expect(readings.powerSupplies.allSatisfy { $0.fault == nil })
    #expect(
      readings.stalls == [
        ResourceStall(.cpu, .host, someCentipercent: 12_50),
        ResourceStall(.memory, .host, someCentipercent: 0, fullCentipercent: 0),
        ResourceStall(.io, .host, someCentipercent: 1_03, fullCentipercent: 42),
      ])
    #expect(state().level == .nominal, "neither a floating input nor a mouse's battery is pressure")
    tree.write("class/hwmon/hwmon1/temp1_input", "86000\n")
    #expect(state().causes == [PressureCause(factor: .systemTemperature, level: .serious, source: "hwmon1/temp1")])
  }

  /// A folder that cannot be opened gives a fault, which the state shows. A file takes the folder's place, because a
  /// test that runs as root can open every folder.
  @Test(arguments: [
    "class/thermal", "class/hwmon", "class/power_supply", "devices/system/cpu", "devices/system/cpu/cpufreq",
    "devices/platform/soc/soc:firmware", "proc/pressure", "fs/cgroup",
  ])
  func aFolderThatCannotBeOpenedIsAFault(folder: String) {
    tree.makePC()
    tree.put(["proc/self/cgroup": "0::/"])
    tree.remove(folder)
    if folder == "devices/platform/soc/soc:firmware" { tree.makeFolder("devices/platform/soc") }
    if folder == "fs/cgroup" { tree.makeFolder("fs") }
    tree.write(folder, "in the way")
    let faults = reader.read().faults
    #expect(faults.contains { $0.hasPrefix(tree.path(folder)) && $0.hasSuffix(" is not a folder") }, "\(faults)")
    // Where the folder for processors is a file, the folder `cpufreq` below cannot be opened either.
    #expect(faults.count == (folder == "devices/system/cpu" ? 2 : 1), "\(faults)")
    #expect(state().readings.faults == faults, "the state shows it")
  }

  /// When a throttle counter can be read again, its old count is no throttling. A count that grows afterwards is.
  @Test func aCounterThatCanBeReadAgainIsNotThrottling() {
    tree.makePC()
    var model = PressureModel()
    let file = "devices/system/cpu/cpu0/thermal_throttle/package_throttle_count"
    let levels = ["7", "no number", "7", "8"].enumerated().map { second, text in
      tree.write(file, text)
      return model.update(reader.read(), now: .epoch + UInt64(second) * 1_000_000_000, wallTime: 0).level
    }
    #expect(levels == [.nominal, .nominal, .nominal, .fair])
  }

  /// A refresh reads only the throttle counters of the first processor, because the files of all processors are most of
  /// the work of a reading.
  @Test func aRefreshReadsOnlyTheCountersOfTheFirstProcessor() {
    tree.makePC()
    var cooling = reader.readCooling()
    tree.write("devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", "5")
    tree.write("devices/system/cpu/cpu1/thermal_throttle/core_throttle_count", "5")
    tree.write("class/thermal/cooling_device0/cur_state", "5")
    reader.refreshThrottling(&cooling)
    let counts = [
      "cpu0/core_throttle_count": 5, "cpu0/package_throttle_count": 7,
      "cpu1/core_throttle_count": 3, "cpu1/package_throttle_count": 7,
    ]
    #expect(cooling.throttleCounters.first?.processors == counts)
    #expect(cooling.devices.first?.state == 0)
    // The processor was switched off since. Its last counts stay until the reader reads all counters again.
    tree.remove("devices/system/cpu/cpu0/thermal_throttle")
    reader.refreshThrottling(&cooling)
    #expect(cooling.throttleCounters.first?.processors == counts)
    var none = CoolingReadings()
    reader.refreshThrottling(&none)
    #expect(none == CoolingReadings())
  }

  /// A Raspberry Pi, whose firmware tells of its power supply in `get_throttled`. Events since boot are no pressure.
  /// Present under-voltage is serious and a matter of power, throttling without under-voltage is serious and a matter
  /// of heat, and the soft temperature limit is fair.
  @Test func raspberryPi() {
    tree.makeRaspberryPi()
    let readings = reader.read()
    #expect(readings.zones.count == 1)
    #expect(readings.sensors.isEmpty)
    #expect(
      readings.supplyAlarms == [
        SupplyAlarm(name: "get_throttled", chip: "firmware", warnings: []),
        SupplyAlarm(name: "hwmon1/in0", chip: "rpi_volt", warnings: []),
      ])
    #expect(readings.stalls.isEmpty)
    #expect(state().level == .nominal, "what happened since boot is over")

    tree.write("class/hwmon/hwmon1/in0_lcrit_alarm", "1\n")
    #expect(state().factors == [.peakPower])
    #expect(state().level == .serious)
    tree.write("class/hwmon/hwmon1/in0_lcrit_alarm", "0\n")
    tree.write("devices/platform/soc/soc:firmware/get_throttled", "50005\n")
    #expect(state().factors == [.peakPower])
    tree.write("devices/platform/soc/soc:firmware/get_throttled", "e0006\n")
    #expect(state().factors == [.systemTemperature])
    #expect(state().level == .serious)
    tree.write("devices/platform/soc/soc:firmware/get_throttled", "80008\n")
    #expect(state().level == .fair)
  }

  /// A Jetson, whose levels come from the zone of its chip's hottest spot.
  @Test func jetson() {
    tree.makeJetson()
    let readings = reader.read()
    #expect(readings.zones.map(\.type) == ["cpu-thermal", "soc0-thermal", "tj-thermal", "tboard-thermal"])
    #expect(readings.coolingDevices.map(\.type) == ["pwm-fan"])
    #expect(readings.coolingDevices.map(\.state) == [2])
    #expect(readings.sensors.isEmpty && readings.supplyAlarms.isEmpty && readings.powerSupplies.isEmpty)
    #expect(state().level == .nominal)
    // The passive trip of the processor's zone is only 0.5 °C below its shutdown threshold. The zone of the chip's
    // hottest spot is the one that goes through every level.
    let levels = [84_000, 85_000, 95_000, 100_000].map { hottest in
      tree.write("class/thermal/thermal_zone2/temp", "\(hottest)\n")
      tree.write("class/thermal/thermal_zone0/temp", "\(hottest - 1_000)\n")
      return state().level
    }
    #expect(levels == [.fair, .serious, .critical, .shutdown])
  }

  /// A container, which sees the waiting of its host and of its own cgroup, and no sensors.
  @Test func container() {
    tree.makeContainer()
    let readings = reader.read()
    #expect(
      readings.stalls.map(\.name) == ["host/cpu", "host/memory", "host/io", "cgroup/cpu", "cgroup/memory", "cgroup/io"])
    #expect(readings == PressureReadings(stalls: readings.stalls))
    tree.put(["fs/cgroup/memory.pressure": tree.stall(some: "60.00", full: "30.00")])
    #expect(
      state().causes == [PressureCause(factor: .memoryPressure, level: .serious, source: "cgroup/memory")])
  }

  /// A machine without any source is nominal and has no faults, and so is one without `/sys` and `/proc`.
  @Test func aMachineWithoutSourcesIsNominal() {
    tree.remove("class")
    #expect(reader.read().isEmpty)
    #expect(state() == PressureState(causes: [], readings: PressureReadings(), readTime: 0))
    #expect(PressureReader(sysfsRoot: tree.path("a"), procfsRoot: tree.path("b")).read().isEmpty)
  }

  /// The daemon's cgroup is in the line of `/proc/self/cgroup` that begins with `0::`. The reader takes no path that
  /// leaves the namespace with `..`, and no line of an older hierarchy.
  @Test(arguments: [
    ("0::/system.slice/firstlightd.service", true), ("12:memory:/x\n0::/system.slice/firstlightd.service", true),
    ("0::/../system.slice/firstlightd.service", false), ("9:memory:/system.slice/firstlightd.service", false),
    ("0::", false), ("", false),
  ])
  func theDaemonsCgroupIsFound(_ text: String, _ isFound: Bool) {
    tree.makeStalls("fs/cgroup/system.slice/firstlightd.service", suffix: ".pressure")
    tree.put(["proc/self/cgroup": text])
    #expect(reader.read().stalls.map(\.scope).contains(.cgroup) == isFound)
  }

  /// A bad file gives one fault, which names the file and says what is wrong with its content.
  @Test(arguments: [
    ("class/hwmon/hwmon1/temp1_input", "hot", "temp1_input is not a number"),
    ("class/hwmon/hwmon1/temp1_input", "-274000", "temp1_input is out of range: -274000"),
    ("class/hwmon/hwmon1/temp1_crit", "hot", "temp1_crit is not a number"),
    ("class/hwmon/hwmon1/temp1_fault", "1", "temp1_fault says that the sensor is broken"),
    ("class/hwmon/hwmon1/name", "", "name is empty"),
    ("class/thermal/cooling_device0/cur_state", "-2", "cur_state is out of range: -2"),
    ("class/thermal/cooling_device0/max_state", "", "max_state is empty"),
    ("devices/system/cpu/cpufreq/policy0/scaling_max_freq", "<unsupported>", "scaling_max_freq is not a number"),
    (
      "devices/system/cpu/cpu1/thermal_throttle/core_throttle_count", "-1",
      "core_throttle_count is out of range: -1"
    ),
    ("class/power_supply/BAT0/capacity", "101", "capacity is out of range: 101"),
    ("class/power_supply/BAT0/status", "", "status is empty"),
    ("proc/pressure/memory", "nothing", "memory is not pressure stall information"),
    ("proc/pressure/cpu", "some avg10=-1.00 avg60=0.00", "cpu has no share of time: -1.00"),
    ("proc/pressure/io", "some avg10=100.01 avg60=0.00", "io has no share of time: 100.01"),
    ("proc/pressure/io", "some avg10=999999999999.00", "io has no share of time: 999999999999.00"),
    ("devices/platform/soc/soc:firmware/get_throttled", "0xyz", "get_throttled is not a hexadecimal number"),
  ])
  func aFaultNamesTheBadFile(_ file: String, _ text: String, _ fault: String) {
    tree.makePC()
    tree.put([file: text])
    #expect(reader.read().faultsOfReadings == [fault])
  }

  /// A file in place of a source's folder gives a fault of that source.
  @Test func aFaultNamesTheSourceThatIsNoFolder() {
    tree.put([
      "class/hwmon/hwmon0": "", "class/thermal/cooling_device0": "", "class/power_supply/BAT0": "",
      "devices/system/cpu/cpufreq/policy0": "",
    ])
    #expect(
      reader.read().faultsOfReadings.sorted() == [
        "BAT0 is not a folder", "cooling_device0 is not a folder", "hwmon0 is not a folder", "policy0 is not a folder",
      ])
  }
}

extension PressureReadings {
  /// The faults of all readings, without the faults of folders that cannot be opened.
  var faultsOfReadings: [String] {
    let rest = [coolingDevices.map(\.fault), frequencyLimits.map(\.fault), throttleCounters.map(\.fault)]
    let power = [powerSupplies.map(\.fault), supplyAlarms.map(\.fault)]
    let all = [zones.map(\.fault), sensors.map(\.fault), stalls.map(\.fault)] + rest + power
    return all.joined().compactMap { $0 }
  }
}
