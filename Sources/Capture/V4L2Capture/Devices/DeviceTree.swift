internal import CaptureCore
internal import Glibc

/// What the kernel tells of video nodes by files: `/dev` and, where it is mounted, sysfs.
struct DeviceTree: Sendable {
  var deviceDirectory = "/dev"
  var sysfs = "/sys"
  /// Where udev keeps what it found out of devices.
  var udevDatabase = "/run/udev/data"

  /// Tells a node from another that later gets the same name.
  struct NodeIdentity: Hashable {
    var inode: UInt
    var device: UInt
  }

  /// The paths of the video nodes, lowest number first. Nil when the directory cannot be read, for want of a descriptor
  /// say: nothing is known then.
  func videoNodes() -> [String]? {
    guard let directory = opendir(deviceDirectory) else { return nil }
    defer { closedir(directory) }
    var numbers: [Int] = []
    while let entry = readdir(directory) {
      // Not by `pointee`, which would copy 256 bytes: an entry is as long as its name, the last ends with its memory.
      let name = String(
        cString: UnsafeRawPointer(entry).advanced(by: Self.nameOffset).assumingMemoryBound(to: CChar.self))
      if name.hasPrefix("video"), let number = Int(name.dropFirst(5)) { numbers.append(number) }
    }
    return numbers.sorted().map { "\(deviceDirectory)/video\($0)" }
  }

  private static let nameOffset = MemoryLayout<dirent>.offset(of: \.d_name)!

  /// Nil when the node is gone.
  func identity(of path: String) -> NodeIdentity? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    return NodeIdentity(inode: UInt(status.st_ino), device: UInt(status.st_rdev))
  }

  /// That of the node which a link below `/dev` leads to; nil when it leads nowhere.
  func identity(ofLink path: String) -> NodeIdentity? {
    path.hasPrefix("/dev/") ? identity(of: deviceDirectory + path.dropFirst("/dev".count)) : nil
  }

  /// The hardware behind the node; nil without sysfs.
  func hardware(of path: String) -> Hardware? {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    let node = "\(sysfs)/class/video4linux/\(name)"
    guard let device = resolve(node + "/device") else { return nil }
    return Hardware(
      path: device, index: attribute(node + "/index").flatMap { Int($0) } ?? 0, usb: usb(device))
  }

  /// Whether the hardware is still there.
  func exists(_ hardware: Hardware) -> Bool { access(hardware.path, F_OK) == 0 }

  /// Whether the camera is still there, as far as files tell. In a container its node stays when it is pulled.
  func isPresent(_ camera: Camera) -> Bool { identity(of: camera.path) != nil && camera.place.map(exists) != false }

  /// The USB device above `interface`: a node hangs on an interface, with older drivers on the device itself.
  private func usb(_ interface: String) -> Hardware.USB? {
    for device in [interface, interface + "/.."] {
      guard let vendor = attribute(device + "/idVendor"), let product = attribute(device + "/idProduct") else {
        continue
      }
      let number = attribute(interface + "/bInterfaceNumber").flatMap { Int($0, radix: 16) } ?? 0
      return Hardware.USB(
        vendor: vendor, product: product, serial: attribute(device + "/serial"),
        port: resolve(device)?.split(separator: "/").last.map(String.init) ?? "",
        interface: number, isFixed: attribute(device + "/removable") == "fixed", link: link(device, control: number))
    }
    return nil
  }

  private func link(_ device: String, control: Int) -> USBLink? {
    guard let bus = attribute(device + "/busnum").flatMap({ Int($0) }),
      let speed = attribute(device + "/speed").flatMap({ Double($0) })
    else { return nil }
    let settings = USBDescriptors.isochronousSettings(
      bytes(device + "/descriptors"), control: control, megabitsPerSecond: speed,
      configuration: attribute(device + "/bConfigurationValue").flatMap { UInt8($0) })
    return USBLink(bus: bus, megabitsPerSecond: speed, isochronousSettings: settings)
  }

  /// At most 64 KiB of a file, which is what a configuration's descriptors may have; nothing when it is unreadable.
  func bytes(_ path: String) -> [UInt8] {
    guard let file = fopen(path, "re") else { return [] }
    defer { fclose(file) }
    return [UInt8](unsafeUninitializedCapacity: 1 << 16) { $1 = fread($0.baseAddress, 1, $0.count, file) }
  }

  func resolve(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// The first line of a small file, without surrounding spaces; nil when it is empty or unreadable.
  func attribute(_ path: String) -> String? {
    guard let file = fopen(path, "re") else { return nil }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 512)
    guard fgets(&line, Int32(line.count), file) != nil else { return nil }
    let text = String(decoding: line.prefix { $0 != 0 && $0 != 10 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let trimmed = text.drop { $0 == " " }
    return trimmed.isEmpty ? nil : String(trimmed.reversed().drop { $0 == " " }.reversed())
  }
}
