import Foundation

/// A folder that stands in for `/sys`, in memory where the system has `/dev/shm`. The folder is removed together with
/// the object.
final class SysfsTree: Sendable {
  let root: String

  init() {
    let base = FileManager.default.fileExists(atPath: "/dev/shm") ? "/dev/shm" : NSTemporaryDirectory()
    root = base + "/firstlight-sysfs-" + UUID().uuidString
    makeFolder("class/thermal")
  }

  deinit { try? FileManager.default.removeItem(atPath: root) }

  func path(_ relative: String) -> String { root + "/" + relative }

  func makeFolder(_ relative: String) {
    try! FileManager.default.createDirectory(atPath: path(relative), withIntermediateDirectories: true)
  }

  /// Writes in place, as a driver changes a value, so that a reader never finds the file missing.
  func write(_ relative: String, _ bytes: [UInt8]) {
    let file = open(path(relative), O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
    precondition(file >= 0, "\(relative): errno \(errno)")
    precondition(pwrite(file, bytes, bytes.count, 0) == bytes.count)
    ftruncate(file, off_t(bytes.count))
    close(file)
  }

  func write(_ relative: String, _ text: String) { write(relative, Array(text.utf8)) }

  func link(_ relative: String, to target: String) { symlink(target, path(relative)) }

  func remove(_ relative: String) { try? FileManager.default.removeItem(atPath: path(relative)) }

  /// Makes `class/thermal/thermal_zone<index>` as the kernel does: as a link into the folder of devices.
  func makeZone(_ index: Int, type: String, millidegrees: Int, trips: [(type: String, millidegrees: Int)] = []) {
    let device = "devices/virtual/thermal/thermal_zone\(index)"
    makeFolder(device)
    write(device + "/type", type + "\n")
    write(device + "/temp", "\(millidegrees)\n")
    for (number, trip) in trips.enumerated() {
      write(device + "/trip_point_\(number)_type", trip.type + "\n")
      write(device + "/trip_point_\(number)_temp", "\(trip.millidegrees)\n")
      write(device + "/trip_point_\(number)_hyst", "0\n")
    }
    try? FileManager.default.createDirectory(atPath: path("class/thermal"), withIntermediateDirectories: true)
    symlink("../../\(device)", path("class/thermal/thermal_zone\(index)"))
  }

  func setTemperature(ofZone index: Int, _ millidegrees: Int) {
    write("class/thermal/thermal_zone\(index)/temp", "\(millidegrees)\n")
  }
}
