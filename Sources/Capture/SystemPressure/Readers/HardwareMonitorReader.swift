/// Reads the sensors of the kernel's hardware monitoring in `class/hwmon/hwmon*` below a root: temperatures, and inputs
/// that warn when a voltage is too low.
///
/// The kernel describes the files in `Documentation/hwmon/sysfs-interface.rst`. The reader never fails: a value that
/// cannot be read is a fault of its sensor. Reading blocks while a driver asks its chip.
struct HardwareMonitorReader: Sendable {
  /// The most chips that are read; more than any known machine has.
  static let maximumChips = 64
  static let maximumInputs = 32

  private let folder: String

  init(sysfsRoot: String) { folder = sysfsRoot + "/class/hwmon" }

  /// The sensors and alarms, ordered by the numbers of their chips.
  ///
  /// - Parameter faults: gets the reason when the folder is there but cannot be opened.
  func read(_ faults: inout [String]) -> (sensors: [TemperatureSensor], alarms: [SupplyAlarm]) {
    var sensors: [TemperatureSensor] = []
    var alarms: [SupplyAlarm] = []
    guard let class_ = Folder.ifThere(folder, faults: &faults) else { return ([], []) }
    for name in class_.sortedNames(prefix: "hwmon", limit: Self.maximumChips) {
      do throws(ReadFault) {
        Self.readChip(name, in: try class_.folder(name), &sensors, &alarms)
      } catch {
        sensors.append(TemperatureSensor(name: name, chip: "", millidegrees: nil, fault: "\(name) \(error.text)"))
      }
    }
    return (sensors, alarms)
  }

  private static func readChip(
    _ name: String, in folder: borrowing Folder, _ sensors: inout [TemperatureSensor], _ alarms: inout [SupplyAlarm]
  ) {
    var faults: [String] = []
    let chip = folder.text("name", faults: &faults) ?? ""
    // Reading the temperature of a disk keeps some disks awake (Documentation/hwmon/drivetemp.rst).
    guard chip != "drivetemp", !isThermalZone(folder) else { return }
    for input in folder.sortedNames(prefix: "temp", suffix: "_input", limit: maximumInputs) {
      sensors.append(sensor(String(input.dropLast("_input".count)), of: chip, name, in: folder, faults))
    }
    for input in folder.sortedNames(prefix: "in", suffix: "_lcrit_alarm", limit: maximumInputs) {
      var faults = faults
      let alarm = folder.integer(input, in: 0...1, faults: &faults)
      alarms.append(
        SupplyAlarm(
          name: "\(name)/\(input.dropLast("_lcrit_alarm".count))", chip: chip,
          warnings: alarm.map { $0 == 1 ? [.underVoltage] : [] }, fault: faults.asFault))
    }
  }

  /// Whether the chip is a thermal zone. The kernel shows most thermal zones a second time as a chip, and the device of
  /// such a chip is the zone.
  private static func isThermalZone(_ chip: borrowing Folder) -> Bool {
    guard let device = try? chip.folder("device") else { return false }
    return !device.names(prefix: "temp").isEmpty && !device.names(prefix: "policy").isEmpty
  }

  private static func sensor(
    _ input: String, of chip: String, _ folderName: String, in folder: borrowing Folder, _ chipFaults: [String]
  ) -> TemperatureSensor {
    var faults = chipFaults
    var sensor = TemperatureSensor(name: "\(folderName)/\(input)", chip: chip, millidegrees: nil)
    sensor.label = folder.text(input + "_label", optional: true, faults: &faults) ?? ""
    if folder.integer(input + "_fault", in: 0...1, optional: true, faults: &faults) == 1 {
      faults.append("\(input)_fault says that the sensor is broken")
    } else {
      sensor.millidegrees = folder.integer(
        input + "_input", in: ThermalZoneReader.plausible, faults: &faults)
    }
    sensor.maximumMillidegrees = limit(input + "_max", in: folder, &faults)
    sensor.criticalMillidegrees = limit(input + "_crit", in: folder, &faults)
    sensor.fault = faults.asFault
    return sensor
  }

  /// The limit in a file, in thousandths of a degree; nil when the chip names none. Chips say "none" by 0, −128 or
  /// 65,262 °C, which is no fault.
  private static func limit(_ file: String, in folder: borrowing Folder, _ faults: inout [String]) -> Int? {
    let value = folder.integer(file, in: .min ... .max, optional: true, faults: &faults)
    return value.flatMap { (1...ThermalZoneReader.plausible.upperBound).contains($0) ? $0 : nil }
  }
}
