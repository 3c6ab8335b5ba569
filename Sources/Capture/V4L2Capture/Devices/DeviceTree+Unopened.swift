internal import CaptureCore

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
