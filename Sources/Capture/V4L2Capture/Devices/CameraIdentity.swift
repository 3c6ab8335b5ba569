internal import CaptureCore

/// One camera: a node to stream from, and what makes it the same camera next time.
struct CameraIdentity: Hashable {
  /// Where it is attached; two cameras never share it. Nodes with the same one belong to one camera.
  var attachment: String
  /// The id it should have: of the thing, not of the place, where the hardware tells.
  var preferred: String
  /// The id by place, for when `preferred` is not unique.
  var fallback: String

  init(_ node: CameraNode) {
    let (driver, bus) = (node.capability.driver, node.capability.busInfo)
    if let usb = node.hardware?.usb {
      // Cameras of one USB device (depth and colour, say) are told apart by interface; most devices have one, number 0.
      let part = usb.interface == 0 ? "" : ".\(usb.interface)"
      let model = "\(usb.vendor)-\(usb.product)"
      attachment = node.hardware?.path ?? bus
      // Not the bus number, which depends on the order of start-up: the kernel's path names the host controller.
      let port = bus.hasPrefix("usb-") ? bus : "usb-" + usb.port
      fallback = DeviceID.make("\(model)-\(port)\(part)")
      preferred = usb.serial.map { DeviceID.make("\(model)-\($0)\(part)") } ?? fallback
    } else if bus.hasPrefix("PCI:") {
      // Capture cards: one node for each connector, all with the same bus information.
      attachment = "\(bus)#\(node.hardware?.index ?? 0)"
      preferred = DeviceID.make("\(driver)-\(bus)-\(node.hardware?.index ?? 0)")
      fallback = preferred
    } else {
      let place = bus.hasPrefix("platform:") ? String(bus.dropFirst("platform:".count)) : bus
      attachment = bus.isEmpty ? node.path : bus
      preferred = DeviceID.make(
        place.isEmpty ? "\(driver)-\(node.capability.card)" : place.hasPrefix(driver) ? place : "\(driver)-\(place)")
      fallback = preferred
    }
  }
}
