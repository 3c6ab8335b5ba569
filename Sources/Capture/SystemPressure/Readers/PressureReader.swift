/// Reads all that a machine tells about heat and load.
///
/// Never fails; what cannot be read is a fault of its reading. Blocks while drivers ask their sensors, so call it on a
/// thread that may block. Cameras are not files: ``PressureMonitor/setCameras(_:)``.
public struct PressureReader: Sendable {
  private let zones: ThermalZoneReader
  private let monitors: HardwareMonitorReader
  private let cooling: CoolingReader
  private let power: PowerReader
  private let stalls: StallReader

  /// - Parameters:
  ///   - sysfsRoot: what stands in for `/sys`.
  ///   - procfsRoot: what stands in for `/proc`.
  public init(sysfsRoot: String = "/sys", procfsRoot: String = "/proc") {
    zones = ThermalZoneReader(sysfsRoot: sysfsRoot)
    monitors = HardwareMonitorReader(sysfsRoot: sysfsRoot)
    cooling = CoolingReader(sysfsRoot: sysfsRoot)
    power = PowerReader(sysfsRoot: sysfsRoot)
    stalls = StallReader(sysfsRoot: sysfsRoot, procfsRoot: procfsRoot)
  }

  /// Everything anew: a cache would have to notice that something was replaced under its name.
  public func read() -> PressureReadings { read(with: readCooling()) }

  /// What is most of the work on a machine of many processors, and never above fair: a few files for each of them.
  func readCooling() -> CoolingReadings { cooling.read() }

  /// Of that, what may give a level, as far as one processor tells.
  func refreshThrottling(_ readings: inout CoolingReadings) { cooling.refreshFirstCounter(of: &readings) }

  /// Everything else anew.
  func read(with cooling: CoolingReadings) -> PressureReadings {
    var readings = PressureReadings()
    var faults: [String] = []
    readings.zones = zones.read(&faults)
    let monitored = monitors.read(&faults)
    readings.sensors = monitored.sensors
    readings.coolingDevices = cooling.devices
    readings.frequencyLimits = cooling.frequencyLimits
    readings.throttleCounters = cooling.throttleCounters
    readings.powerSupplies = power.supplies(&faults)
    readings.supplyAlarms = power.firmwareAlarms(&faults) + monitored.alarms
    readings.stalls = stalls.read(&faults)
    // One folder may be wanted twice.
    readings.faults = faults + cooling.faults.filter { !faults.contains($0) }
    return readings
  }
}
