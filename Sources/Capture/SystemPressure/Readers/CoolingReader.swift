/// Reads the devices with which the kernel cools, and how much the cooling slows processors down. The files lie below a
/// root: `class/thermal/cooling_device*`, `devices/system/cpu/cpufreq/policy*` and
/// `devices/system/cpu/cpu*/thermal_throttle`.
///
/// The kernel describes the files in `Documentation/driver-api/thermal/sysfs-api.rst`,
/// `Documentation/admin-guide/pm/cpufreq.rst` and `arch/x86/kernel/cpu/mce/therm_throt.c`. The reader never fails: a
/// value that cannot be read is a fault of its reading.
struct CoolingReader: Sendable {
  /// The most cooling devices that are read. A PC has one for each processor.
  static let maximumDevices = 64
  static let maximumProcessors = 256

  private let root: String

  init(sysfsRoot: String) { root = sysfsRoot }

  func read() -> CoolingReadings {
    var readings = CoolingReadings()
    readings.devices = devices(&readings.faults)
    readings.frequencyLimits = frequencyLimits(&readings.faults)
    readings.throttleCounters = throttleCounters(&readings.faults)
    return readings
  }

  private func devices(_ folderFaults: inout [String]) -> [CoolingDevice] {
    var devices: [CoolingDevice] = []
    guard let thermal = Folder.ifThere(root + "/class/thermal", faults: &folderFaults) else { return [] }
    for name in thermal.sortedNames(prefix: "cooling_device", limit: Self.maximumDevices) {
      var device = CoolingDevice(name: name, type: "", state: nil, maximumState: nil)
      var faults: [String] = []
      do throws(ReadFault) {
        let folder = try thermal.folder(name)
        device.type = folder.text("type", faults: &faults) ?? ""
        // A power clamp tells −1 while it is idle.
        let state = folder.integer("cur_state", in: -1...Int(Int32.max), faults: &faults)
        device.state = state == -1 ? nil : state
        device.maximumState = folder.integer("max_state", in: 0...Int(Int32.max), faults: &faults)
      } catch {
        faults.append("\(name) \(error.text)")
      }
      device.fault = faults.asFault
      devices.append(device)
    }
    return devices
  }

  private func frequencyLimits(_ folderFaults: inout [String]) -> [FrequencyLimit] {
    var limits: [FrequencyLimit] = []
    guard let policies = Folder.ifThere(root + "/devices/system/cpu/cpufreq", faults: &folderFaults) else { return [] }
    for name in policies.sortedNames(prefix: "policy", limit: Self.maximumProcessors) {
      var limit = FrequencyLimit(name: name, allowedKilohertz: nil, hardwareKilohertz: nil)
      var faults: [String] = []
      do throws(ReadFault) {
        let folder = try policies.folder(name)
        limit.allowedKilohertz = folder.integer("scaling_max_freq", in: 0...Int(Int32.max), faults: &faults)
        limit.hardwareKilohertz = folder.integer("cpuinfo_max_freq", in: 0...Int(Int32.max), faults: &faults)
      } catch {
        faults.append("\(name) \(error.text)")
      }
      limit.fault = faults.asFault
      limits.append(limit)
    }
    return limits
  }

  /// The throttle counters of all processors as one reading; empty where processors do not count. The reading has at
  /// most the first fault.
  private func throttleCounters(_ folderFaults: inout [String]) -> [ThrottleCounter] {
    guard let processors = Folder.ifThere(root + "/devices/system/cpu", faults: &folderFaults) else { return [] }
    var counter = ThrottleCounter()
    var faults: [String] = []
    var isThere = false
    for name in processors.sortedNames(prefix: "cpu", limit: Self.maximumProcessors) where name.isProcessor {
      do throws(ReadFault) {
        let folder = try processors.folder(name + "/thermal_throttle")
        isThere = true
        Self.read(name, in: folder, into: &counter, &faults)
      } catch {
        // The processor is switched off, or is of a kind that does not count.
        guard !error.isMissing else { continue }
        faults.append("\(name)/thermal_throttle \(error.text)")
        isThere = true
      }
    }
    counter.fault = faults.first
    return isThere ? [counter] : []
  }

  /// Reads again the counters of the first processor that has any. The processors of a package are throttled together,
  /// and each of them counts the event. On most machines, therefore, one processor tells of all, and reading it costs a
  /// fraction.
  func refreshFirstCounter(of readings: inout CoolingReadings) {
    var faults: [String] = []
    let first = readings.throttleCounters.first?.processors.keys.min { $0.isBeforeByLength($1) }
    guard let name = first.map({ String($0.prefix { $0 != "/" }) }),
      let folder = try? Folder(path: root + "/devices/system/cpu/" + name + "/thermal_throttle")
    else { return }
    Self.read(name, in: folder, into: &readings.throttleCounters[0], &faults)
  }

  private static func read(
    _ processor: String, in folder: borrowing Folder, into counter: inout ThrottleCounter, _ faults: inout [String]
  ) {
    for file in ["core_throttle_count", "package_throttle_count"] {
      let events = folder.integer(file, in: 0...Int(Int32.max), optional: true, faults: &faults)
      if let events { counter.processors["\(processor)/\(file)"] = events }
    }
  }
}

extension String {
  /// Whether the name is that of a processor, such as `cpu0`, and not `cpufreq`.
  fileprivate var isProcessor: Bool { count > 3 && dropFirst(3).allSatisfy(\.isNumber) }
}

/// The devices with which the kernel cools, and how much the cooling slows processors down.
public struct CoolingReadings: Hashable, Sendable {
  var devices: [CoolingDevice] = []
  var frequencyLimits: [FrequencyLimit] = []
  var throttleCounters: [ThrottleCounter] = []
  /// The folders that could not be read, with the reasons.
  var faults: [String] = []
}
