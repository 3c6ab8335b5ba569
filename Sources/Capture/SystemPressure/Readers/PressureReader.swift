internal import Glibc

/// Reads everything that a machine tells about heat and load.
///
/// The reader never fails: a value that cannot be read is a fault of its reading. Reading blocks while drivers ask
/// their sensors, so call the reader on a thread that may block. The temperatures of cameras are not in files; they
/// come by ``PressureMonitor/setCameras(_:)``.
public struct PressureReader: Sendable {
  private let zones: ThermalZoneReader
  private let monitors: HardwareMonitorReader
  private let cooling: CoolingReader
  private let power: PowerReader
  private let stalls: StallReader

  /// Makes a reader.
  ///
  /// - Parameters:
  ///   - sysfsRoot: the folder that stands in for `/sys`.
  ///   - procfsRoot: the folder that stands in for `/proc`.
  public init(sysfsRoot: String = "/sys", procfsRoot: String = "/proc") {
    zones = ThermalZoneReader(sysfsRoot: sysfsRoot)
    monitors = HardwareMonitorReader(sysfsRoot: sysfsRoot)
    cooling = CoolingReader(sysfsRoot: sysfsRoot)
    power = PowerReader(sysfsRoot: sysfsRoot)
    stalls = StallReader(sysfsRoot: sysfsRoot, procfsRoot: procfsRoot)
  }

  /// Reads everything anew. The reader caches nothing, because a cache would have to notice when another device takes
  /// over a name. Blocks while drivers ask their sensors.
  public func read() -> PressureReadings { read(with: readCooling()) }

  /// Reads cooling devices, frequency limits and throttle counters: a few files for each processor. On a machine with
  /// many processors they are most of the work, and they never give more than fair. Blocks while drivers answer.
  func readCooling() -> CoolingReadings { cooling.read() }

  /// Reads again the throttle counters of one processor, because only throttle counters give a level among the cooling
  /// readings.
  func refreshThrottling(_ readings: inout CoolingReadings) { cooling.refreshFirstCounter(of: &readings) }

  /// Reads thermal zones, sensors, power supplies, firmware alarms and waiting tasks anew, and adds `cooling` to them
  /// without reading it again. Blocks while drivers ask their sensors, so only a thread that may block calls this.
  ///
  /// - Parameter cooling: the newest result of ``readCooling()``, perhaps changed by ``refreshThrottling(_:)``.
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
    // Two readers may open the same folder and report the same fault.
    readings.faults = faults + cooling.faults.filter { !faults.contains($0) }
    return readings
  }
}

/// Why a file or folder could not be read, in words for an operator.
struct ReadFault: Error, Hashable {
  var text: String
  /// Whether no file or folder has the name. A missing file is no fault when not every machine has the file.
  var isMissing = false

  init(_ text: String) { self.text = text }

  init(errno code: Int32) {
    isMissing = code == ENOENT
    text =
      switch code {
      case ENOENT: "is missing"
      case EACCES, EPERM: "may not be read: permission denied"
      case ENOTDIR: "is not a folder"
      case ELOOP: "is a loop of symbolic links"
      case EAGAIN, ENODATA, EBUSY: "has no value now"
      case EIO, EINVAL, ENXIO, ENODEV, ETIMEDOUT, EREMOTEIO: "was refused by the driver (errno \(code))"
      default: "could not be read (errno \(code))"
      }
  }
}
