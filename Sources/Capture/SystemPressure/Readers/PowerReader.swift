/// Reads batteries and chargers in `class/power_supply/*` below a root, and the warnings of a Raspberry Pi's firmware
/// about its supply in `devices/platform/soc/soc:firmware/get_throttled`.
///
/// The kernel describes the files in `Documentation/ABI/testing/sysfs-class-power`. Raspberry Pi describes
/// `get_throttled` in its `raspberrypi-firmware` driver and in its documentation of `vcgencmd get_throttled`. The
/// reader never fails: a value that cannot be read is a fault of its reading.
struct PowerReader: Sendable {
  static let maximumSupplies = 32

  private let root: String

  init(sysfsRoot: String) { root = sysfsRoot }

  /// The batteries and chargers by name.
  ///
  /// - Parameter folderFaults: gets the reason when the folder is there but cannot be opened.
  func supplies(_ folderFaults: inout [String]) -> [PowerSupply] {
    var supplies: [PowerSupply] = []
    guard let class_ = Folder.ifThere(root + "/class/power_supply", faults: &folderFaults) else { return [] }
    for name in class_.sortedNames(prefix: "", limit: Self.maximumSupplies + 2) where !name.hasPrefix(".") {
      var supply = PowerSupply(name: name, type: "")
      var faults: [String] = []
      do throws(ReadFault) {
        Self.read(&supply, in: try class_.folder(name), &faults)
      } catch {
        faults.append("\(name) \(error.text)")
      }
      supply.fault = faults.asFault
      supplies.append(supply)
    }
    return supplies
  }

  private static func read(_ supply: inout PowerSupply, in folder: borrowing Folder, _ faults: inout [String]) {
    supply.type = folder.text("type", faults: &faults) ?? ""
    supply.suppliesDevice = folder.text("scope", optional: true, faults: &faults) == "Device"
    supply.status = folder.text("status", optional: true, faults: &faults) ?? ""
    supply.capacityLevel = folder.text("capacity_level", optional: true, faults: &faults) ?? ""
    supply.health = folder.text("health", optional: true, faults: &faults) ?? ""
    supply.capacityPercent = folder.integer("capacity", in: 0...100, optional: true, faults: &faults)
    // `online` is 2 for a supply whose voltage a program chooses.
    supply.connection = folder.integer("online", in: 0...2, optional: true, faults: &faults).flatMap(
      PowerSupply.Connection.init)
  }

  /// The warnings of a Raspberry Pi's firmware as one reading; empty on any other machine.
  func firmwareAlarms(_ folderFaults: inout [String]) -> [SupplyAlarm] {
    let file = "get_throttled"
    guard let firmware = Folder.ifThere(root + "/devices/platform/soc/soc:firmware", faults: &folderFaults)
    else { return [] }
    var alarm = SupplyAlarm(name: file, chip: "firmware", warnings: nil)
    do throws(ReadFault) {
      alarm.warnings = try Self.warnings(in: try firmware.text(file))
    } catch {
      if error.isMissing { return [] }
      alarm.fault = "\(file) \(error.text)"
    }
    return [alarm]
  }

  /// The warnings in a hexadecimal number, with or without `0x`. Bits 0 to 3 are the warnings that are present. Bits 16
  /// to 19 are the same warnings since boot, which do not count here.
  private static func warnings(in text: String) throws(ReadFault) -> Set<SupplyAlarm.Warning> {
    guard let bits = UInt32(text.hasPrefix("0x") ? text.dropFirst(2) : text[...], radix: 16) else {
      throw ReadFault("is not a hexadecimal number")
    }
    // A mailbox that does not answer leaves all bits set. Firmware sets at most eight.
    guard bits != .max else { throw ReadFault("has no value now") }
    let meanings: [(bit: UInt32, warning: SupplyAlarm.Warning)] = [
      (1, .underVoltage), (2, .frequencyCapped), (4, .throttled), (8, .temperatureLimit),
    ]
    return Set(meanings.filter { bits & $0.bit != 0 }.map(\.warning))
  }
}
