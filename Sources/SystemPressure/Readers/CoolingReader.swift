/// Reads what the kernel cools with and how much that costs, below a root: `class/thermal/cooling_device*`,
/// `devices/system/cpu/cpufreq/policy*`, `devices/system/cpu/cpu*/thermal_throttle`.
///
/// Files as in the kernel's `Documentation/driver-api/thermal/sysfs-api.rst`, `Documentation/admin-guide/pm/cpufreq.rst` and
/// `arch/x86/kernel/cpu/mce/therm_throt.c`. Never fails: what cannot be read is a fault of its reading.
struct CoolingReader: Sendable {
  /// A PC has one for each processor; further ones are not read.
  static let maximumDevices = 64
  static let maximumProcessors = 256

  private let root: String

  init(sysfsRoot: String) { root = sysfsRoot }

  func coolingDevices() -> [CoolingDevice] {
    var devices: [CoolingDevice] = []
    guard let thermal = try? Folder(path: root + "/class/thermal") else { return [] }
    for name in thermal.sortedNames(prefix: "cooling_device", limit: Self.maximumDevices) {
      var device = CoolingDevice(name: name, type: "", state: nil, maximumState: nil)
      var faults: [String] = []
      do throws(ReadFault) {
        let folder = try thermal.folder(name)
        device.type = folder.text("type", faults: &faults) ?? ""
        // −1 is a power clamp's word for idle.
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

  func frequencyLimits() -> [FrequencyLimit] {
    var limits: [FrequencyLimit] = []
    guard let policies = try? Folder(path: root + "/devices/system/cpu/cpufreq") else { return [] }
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

  /// One, or none where processors do not count; names at most the first fault.
  func throttleCounters() -> [ThrottleCounter] {
    guard let processors = try? Folder(path: root + "/devices/system/cpu") else { return [] }
    var counter = ThrottleCounter(events: nil)
    var faults: [String] = []
    var isThere = false
    for name in processors.sortedNames(prefix: "cpu", limit: Self.maximumProcessors) {
      guard let processor = try? processors.folder(name), let folder = try? processor.folder("thermal_throttle")
      else { continue }
      isThere = true
      for file in ["core_throttle_count", "package_throttle_count"] {
        let events = folder.integer(file, in: 0...Int(Int32.max), optional: true, faults: &faults)
        if let events { counter.events = (counter.events ?? 0) + events }
      }
    }
    counter.fault = faults.first
    return isThere ? [counter] : []
  }
}
