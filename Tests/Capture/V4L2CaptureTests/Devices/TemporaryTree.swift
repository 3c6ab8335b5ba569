import Foundation
import Glibc

@testable import V4L2Capture

/// `/dev`, `/sys` and the udev database in a temporary folder, which is removed together with the object.
final class TemporaryTree {
  let root: String
  var tree: DeviceTree {
    DeviceTree(deviceDirectory: root + "/dev", sysfs: root + "/sys", udevDatabase: root + "/run/udev/data")
  }

  init() {
    var template = Array("/tmp/v4l2-tests-XXXXXX".utf8CString)
    root = String(cString: mkdtemp(&template)!)
    makeDirectory("dev")
    makeDirectory("sys/class/video4linux")
  }

  deinit {
    try? FileManager.default.removeItem(atPath: root)
  }

  func makeDirectory(_ path: String) {
    var built = root
    for part in path.split(separator: "/") {
      built += "/" + part
      mkdir(built, 0o755)
    }
  }

  func write(_ path: String, _ text: String = "") {
    let file = fopen(root + "/" + path, "w")!
    fputs(text, file)
    fclose(file)
  }

  func link(_ path: String, to target: String) { symlink(root + "/" + target, root + "/" + path) }

  func rename(_ old: String, to new: String) { Glibc.rename(root + "/" + old, root + "/" + new) }

  func delete(_ path: String) { unlink(root + "/" + path) }

  /// Makes the node `dev/video<number>` of a USB camera, with the camera's files in sysfs. A camera without `serial`
  /// has no serial number.
  func addUSBCamera(_ number: Int, serial: String?) {
    let device = "sys/devices/usb1/1-\(number + 1)"
    let interface = device + "/1-\(number + 1):1.0"
    let node = interface + "/video4linux/video\(number)"
    makeDirectory(node)
    write(device + "/idVendor", "046d\n")
    write(device + "/idProduct", "0825\n")
    if let serial { write(device + "/serial", serial + "\n") }
    write(device + "/removable", "removable\n")
    write(interface + "/bInterfaceNumber", "00\n")
    write(node + "/index", "0\n")
    link(node + "/device", to: interface)
    link("sys/class/video4linux/video\(number)", to: node)
    write("dev/video\(number)")
  }

  /// Adds what sysfs tells about the USB link of the camera that ``addUSBCamera(_:serial:)`` made: the number of the
  /// bus, the speed in Mbit/s and the USB descriptors.
  func addLink(_ number: Int, bus: Int, speed: String, _ descriptors: [UInt8]) {
    let device = "sys/devices/usb1/1-\(number + 1)"
    write(device + "/busnum", "\(bus)\n")
    write(device + "/speed", speed + "\n")
    write(device + "/bConfigurationValue", "1\n")
    _ = FileManager.default.createFile(atPath: "\(root)/\(device)/descriptors", contents: Data(descriptors))
  }
}
