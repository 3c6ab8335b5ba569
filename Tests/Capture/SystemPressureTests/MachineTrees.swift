/// File trees of whole machines below one root, with `/sys` at the root and `/proc` in `proc`. The trees are made from
/// public documentation, not recorded; the comment of each tree names its sources.
extension SysfsTree {
  /// Writes files and makes their folders. A key is a path below the root; each text gets a newline at its end.
  func put(_ files: [String: String]) {
    for (file, text) in files {
      if let slash = file.lastIndex(of: "/") { makeFolder(String(file[..<slash])) }
      write(file, text + "\n")
    }
  }

  /// A laptop. The sources are the kernel's `Documentation/hwmon/coretemp.rst` and `nvme.rst`, `sysfs-class-power`,
  /// `cpufreq.rst`, `therm_throt.c` and `psi.rst`. The thermal zone appears a second time as a chip, as
  /// `thermal_hwmon.c` shows it.
  func makePC() {
    makeZone(0, type: "acpitz", millidegrees: 37_000, trips: [("critical", 100_000), ("passive", 80_000)])
    put([
      "class/thermal/thermal_zone0/policy": "step_wise",
      "class/thermal/cooling_device0/type": "Processor",
      "class/thermal/cooling_device0/cur_state": "0", "class/thermal/cooling_device0/max_state": "10",
      "class/thermal/cooling_device1/type": "intel_powerclamp",
      "class/thermal/cooling_device1/cur_state": "-1", "class/thermal/cooling_device1/max_state": "100",
      "class/hwmon/hwmon0/name": "acpitz", "class/hwmon/hwmon0/temp1_input": "37000",
      "class/hwmon/hwmon0/temp1_crit": "100000",
      "class/hwmon/hwmon1/name": "coretemp", "class/hwmon/hwmon1/temp1_label": "Package id 0",
      "class/hwmon/hwmon1/temp1_input": "52000", "class/hwmon/hwmon1/temp1_max": "86000",
      "class/hwmon/hwmon1/temp1_crit": "100000", "class/hwmon/hwmon1/temp1_crit_alarm": "0",
      "class/hwmon/hwmon2/name": "nvme", "class/hwmon/hwmon2/temp1_label": "Composite",
      "class/hwmon/hwmon2/temp1_input": "41850", "class/hwmon/hwmon2/temp1_max": "81850",
      "class/hwmon/hwmon2/temp1_crit": "84850", "class/hwmon/hwmon2/temp2_input": "44850",
      "class/hwmon/hwmon2/temp2_max": "65261850",
      // An input of the board that nothing is connected to: its temperature is always above its upper limit.
      "class/hwmon/hwmon3/name": "nct6775", "class/hwmon/hwmon3/temp3_label": "AUXTIN0",
      "class/hwmon/hwmon3/temp3_input": "97000", "class/hwmon/hwmon3/temp3_max": "80000",
      "class/hwmon/hwmon3/fan1_input": "0", "class/hwmon/hwmon3/in0_input": "1000",
      "class/hwmon/hwmon4/name": "drivetemp", "class/hwmon/hwmon4/temp1_input": "35000",
      "class/power_supply/AC/type": "Mains", "class/power_supply/AC/online": "0",
      "class/power_supply/BAT0/type": "Battery", "class/power_supply/BAT0/status": "Discharging",
      "class/power_supply/BAT0/capacity": "80", "class/power_supply/BAT0/capacity_level": "Normal",
      "class/power_supply/hidpp_battery_0/type": "Battery", "class/power_supply/hidpp_battery_0/scope": "Device",
      "class/power_supply/hidpp_battery_0/status": "Discharging",
      "class/power_supply/hidpp_battery_0/capacity_level": "Critical",
    ])
    makeFolder("class/hwmon/hwmon0")
    link("class/hwmon/hwmon0/device", to: "../../../devices/virtual/thermal/thermal_zone0")
    for processor in 0..<2 {
      put([
        "devices/system/cpu/cpufreq/policy\(processor)/scaling_max_freq": "2400000",
        "devices/system/cpu/cpufreq/policy\(processor)/cpuinfo_max_freq": "4700000",
        "devices/system/cpu/cpu\(processor)/thermal_throttle/core_throttle_count": "3",
        "devices/system/cpu/cpu\(processor)/thermal_throttle/package_throttle_count": "7",
      ])
    }
    makeStalls("proc/pressure", suffix: "")
  }

  /// A Raspberry Pi 4. The sources are `bcm2711.dtsi`, `raspberrypi-hwmon.rst` and the firmware driver of its kernel,
  /// and Raspberry Pi's documentation of `vcgencmd get_throttled`. Its distribution leaves pressure stall information
  /// off.
  func makeRaspberryPi() {
    makeZone(0, type: "cpu-thermal", millidegrees: 52_150, trips: [("critical", 110_000)])
    put([
      "class/thermal/thermal_zone0/policy": "step_wise",
      "class/hwmon/hwmon0/name": "cpu_thermal", "class/hwmon/hwmon0/temp1_input": "52150",
      "class/hwmon/hwmon0/temp1_crit": "110000",
      "class/hwmon/hwmon1/name": "rpi_volt", "class/hwmon/hwmon1/in0_lcrit_alarm": "0",
      "devices/platform/soc/soc:firmware/get_throttled": "50000",
      "devices/system/cpu/cpufreq/policy0/scaling_max_freq": "1500000",
      "devices/system/cpu/cpufreq/policy0/cpuinfo_max_freq": "1500000",
    ])
    link("class/hwmon/hwmon0/device", to: "../../../devices/virtual/thermal/thermal_zone0")
  }

  /// A Jetson AGX Orin, with one zone of each kind. The zones are those of mainline `tegra234-p3701-0000.dtsi` and
  /// `tegra234-p3737-0000+p3701-0000.dts`, the fan is that of `pwm-fan.rst`, and the power rails are those of
  /// `ina3221.rst`. The zone `tj-thermal` is the hottest spot of the chip.
  func makeJetson() {
    makeZone(0, type: "cpu-thermal", millidegrees: 46_500, trips: [("critical", 104_500), ("passive", 99_000)])
    makeZone(1, type: "soc0-thermal", millidegrees: 44_000, trips: [("critical", 104_500), ("passive", 99_000)])
    makeZone(2, type: "tj-thermal", millidegrees: 47_000, trips: [("critical", 104_500)])
    makeZone(3, type: "tboard-thermal", millidegrees: 35_000, trips: [("critical", 107_000)])
    put([
      "class/thermal/cooling_device0/type": "pwm-fan",
      "class/thermal/cooling_device0/cur_state": "2", "class/thermal/cooling_device0/max_state": "10",
      "class/hwmon/hwmon0/name": "ina3221", "class/hwmon/hwmon0/in1_label": "VDD_IN",
      "class/hwmon/hwmon0/in1_input": "5016", "class/hwmon/hwmon0/curr1_input": "512",
      "devices/system/cpu/cpufreq/policy0/scaling_max_freq": "1479000",
      "devices/system/cpu/cpufreq/policy0/cpuinfo_max_freq": "1479000",
    ])
    makeStalls("proc/pressure", suffix: "")
  }

  /// A container with a memory limit of its own, after `cgroup-v2.rst`. The host shows the container no sensors, and
  /// the container's cgroup namespace begins at its own cgroup.
  func makeContainer() {
    remove("class")
    put(["proc/self/cgroup": "0::/"])
    makeStalls("proc/pressure", suffix: "")
    makeStalls("fs/cgroup", suffix: ".pressure")
  }

  /// Writes the three files of pressure stall information into a folder. `suffix` follows the name of each resource.
  func makeStalls(_ folder: String, suffix: String) {
    put([
      "\(folder)/cpu\(suffix)": stall(some: "12.50"), "\(folder)/memory\(suffix)": stall(some: "0.00", full: "0.00"),
      "\(folder)/io\(suffix)": stall(some: "1.03", full: "0.42"),
    ])
  }

  /// The text of one file of pressure stall information. `some` and `full` are averages over 10 s, in percent. On older
  /// kernels the file for processors has no line `full`; nil leaves that line out.
  func stall(some: String, full: String? = nil) -> String {
    let first = "some avg10=\(some) avg60=0.10 avg300=0.01 total=1047543043"
    return full.map { first + "\nfull avg10=\($0) avg60=0.00 avg300=0.00 total=9851049" } ?? first
  }
}
