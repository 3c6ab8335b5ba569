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

/// What sysfs and udev say about a node that may not be opened.
extension DeviceTree {
  /// What VIDIOC_QUERYCAP would answer, as far as sysfs tells: the driver, the name and the place. For USB cameras,
  /// capture cards and most other devices, the place is spelled as the driver spells it.
  ///
  /// Nil when udev, which has opened the node, found that the node does not capture or that it also outputs video.
  /// Where udev does not know the node, nil when the driver is known to have no cameras; every other node counts as a
  /// camera.
  func capability(ofUnopened path: String) -> NodeCapability? {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    let node = "\(sysfs)/class/video4linux/\(name)"
    let driver = lastPart(node + "/device/driver") ?? "unknown"
    if let found = udevCapabilities(of: path) {
      if !found.contains("capture") || found.contains("video_output") { return nil }
    } else if Self.driversWithoutCameras.contains(driver) {
      return nil
    }
    return NodeCapability(
      driver: driver, card: attribute(node + "/name") ?? name,
      busInfo: place(node + "/device"), deviceCapabilities: 0)
  }

  /// The drivers of codecs, scalers and memory-to-memory image processors on the chips of small boards, as sysfs names
  /// these drivers. A Raspberry Pi has a dozen nodes of such drivers and perhaps no camera. If the daemon listed these
  /// nodes as cameras, it would not start the synthetic camera.
  private static let driversWithoutCameras: Set = [
    "bcm2835-codec", "bcm2835-isp", "rpivid", "rpi-hevc-dec", "pispbe", "hantro-vpu", "rkvdec", "rockchip-rga",
    "cedrus",
    "coda", "meson-vdec", "mtk-vcodec-dec", "mtk-vcodec-enc", "mtk-jpeg", "qcom-venus", "s5p-mfc", "s5p-jpeg",
  ]

  /// The place of a device, spelled like `bus_info` of VIDIOC_QUERYCAP; empty when sysfs does not tell the place.
  private func place(_ device: String) -> String {
    guard let resolved = resolve(device) else { return "" }
    let parts = resolved.split(separator: "/").map(String.init)
    // The path of a USB device is …/<controller>/usb<bus>/<bus>-<ports>/…, and its drivers name the controller and the
    // ports.
    if let root = parts.lastIndex(where: { $0.hasPrefix("usb") && Int($0.dropFirst(3)) != nil }), root > 0 {
      let ports = [device, device + "/.."].lazy.compactMap { attribute($0 + "/devpath") }.first
      return ports.map { "usb-\(parts[root - 1])-\($0)" } ?? ""
    }
    switch lastPart(device + "/subsystem") {
    case "pci": return "PCI:" + (parts.last ?? "")
    case "platform": return "platform:" + (parts.last ?? "")
    default: return ""
    }
  }

  /// The last component of the path that `link` leads to; nil when `link` leads nowhere.
  private func lastPart(_ link: String) -> String? { resolve(link)?.split(separator: "/").last.map(String.init) }

  /// The words of udev's property `ID_V4L_CAPABILITIES`; nil when udev does not know the node.
  private func udevCapabilities(of path: String) -> [String]? {
    guard let device = identity(of: path)?.device else { return nil }
    let (major, minor) = ((device >> 8) & 0xfff, (device & 0xff) | ((device >> 12) & 0xfff00))
    let prefix = "E:ID_V4L_CAPABILITIES="
    return String(decoding: bytes("\(udevDatabase)/c\(major):\(minor)"), as: UTF8.self).split(separator: "\n")
      .first { $0.hasPrefix(prefix) }
      .map { $0.dropFirst(prefix.count).split(separator: ":").map(String.init) }
  }
}
