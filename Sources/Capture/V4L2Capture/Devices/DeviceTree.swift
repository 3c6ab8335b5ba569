internal import CaptureCore
internal import Glibc

/// Reads what files say about video nodes: `/dev`, and sysfs where it is mounted.
struct DeviceTree: Sendable {
  var deviceDirectory = "/dev"
  var sysfs = "/sys"
  /// The folder in which udev keeps the properties of devices.
  var udevDatabase = "/run/udev/data"

  /// Distinguishes a node from another node that later has the same path.
  struct NodeIdentity: Hashable {
    var inode: UInt
    var device: UInt
  }

  /// The paths of the video nodes, lowest number first. Nil when the folder cannot be read, for lack of a descriptor
  /// for example; the caller then knows nothing about the nodes.
  func videoNodes() -> [String]? {
    guard let directory = opendir(deviceDirectory) else { return nil }
    defer { closedir(directory) }
    var numbers: [Int] = []
    while let entry = readdir(directory) {
      // Reading the entry through `pointee` would copy 256 bytes of name, but the memory of an entry ends with its
      // name, and the last entry ends with the memory of the whole listing.
      let name = String(
        cString: UnsafeRawPointer(entry).advanced(by: Self.nameOffset).assumingMemoryBound(to: CChar.self))
      if name.hasPrefix("video"), let number = Int(name.dropFirst(5)) { numbers.append(number) }
    }
    return numbers.sorted().map { "\(deviceDirectory)/video\($0)" }
  }

  private static let nameOffset = MemoryLayout<dirent>.offset(of: \.d_name)!

  /// The identity of a node; nil when the node is gone.
  func identity(of path: String) -> NodeIdentity? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    return NodeIdentity(inode: UInt(status.st_ino), device: UInt(status.st_rdev))
  }

  /// The identity of the node that a link below `/dev` leads to. Nil when the link leads nowhere or is not below
  /// `/dev`.
  func identity(ofLink path: String) -> NodeIdentity? {
    path.hasPrefix("/dev/") ? identity(of: deviceDirectory + path.dropFirst("/dev".count)) : nil
  }

  /// The hardware behind a node; nil without sysfs.
  func hardware(of path: String) -> Hardware? {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    let node = "\(sysfs)/class/video4linux/\(name)"
    guard let device = resolve(node + "/device") else { return nil }
    return Hardware(
      path: device, index: attribute(node + "/index").flatMap { Int($0) } ?? 0, usb: usb(device))
  }

  /// Whether the hardware is still in sysfs.
  func exists(_ hardware: Hardware) -> Bool { access(hardware.path, F_OK) == 0 }

  /// Whether the camera is still there, as far as files tell. The node alone does not tell: in a container, the node of
  /// an unplugged camera stays.
  func isPresent(_ camera: Camera) -> Bool { identity(of: camera.path) != nil && camera.place.map(exists) != false }

  /// The USB device that `interface` belongs to; nil when there is none. A node's device is a USB interface, or with
  /// older drivers the USB device itself, so both levels are searched.
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

  /// How the USB device is attached to its bus; nil when the kernel does not tell the bus or the speed.
  ///
  /// - Parameter control: the number of the camera's video control interface.
  private func link(_ device: String, control: Int) -> USBLink? {
    guard let bus = attribute(device + "/busnum").flatMap({ Int($0) }),
      let speed = attribute(device + "/speed").flatMap({ Double($0) })
    else { return nil }
    let settings = USBDescriptors.isochronousSettings(
      bytes(device + "/descriptors"), control: control, megabitsPerSecond: speed,
      configuration: attribute(device + "/bConfigurationValue").flatMap { UInt8($0) })
    return USBLink(bus: bus, megabitsPerSecond: speed, isochronousSettings: settings)
  }

  /// The first 64 KiB of a file, which is the greatest size of the descriptors of a USB configuration. Empty when the
  /// file cannot be read.
  func bytes(_ path: String) -> [UInt8] {
    guard let file = fopen(path, "re") else { return [] }
    defer { fclose(file) }
    return [UInt8](unsafeUninitializedCapacity: 1 << 16) { $1 = fread($0.baseAddress, 1, $0.count, file) }
  }

  /// The path with all links resolved; nil when the path does not exist.
  func resolve(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// The first line of a small file, without surrounding spaces; nil when the line is empty or the file cannot be read.
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
