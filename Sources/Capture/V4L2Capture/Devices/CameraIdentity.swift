internal import CaptureCore

/// What makes a camera the same camera in the next run: its place in the machine, and the ids that follow from its
/// hardware.
struct CameraIdentity: Hashable {
  /// Where the camera is attached. Two cameras never have the same attachment, and all nodes with the same attachment
  /// belong to one camera.
  var attachment: String
  /// The id that the camera should have. The id names the camera itself, by its serial number, when the hardware tells
  /// one; else it names the place.
  var preferred: String
  /// The id that names the camera's place. The camera gets this id when `preferred` is not unique.
  var fallback: String

  init(_ node: CameraNode) {
    let (driver, bus) = (node.capability.driver, node.capability.busInfo)
    if let usb = node.hardware?.usb {
      // Several cameras of one USB device, a depth and a colour camera for example, differ by their interface. Most
      // devices have one camera, at interface 0.
      let part = usb.interface == 0 ? "" : ".\(usb.interface)"
      let model = "\(usb.vendor)-\(usb.product)"
      attachment = node.hardware?.path ?? bus
      // Two sources tell the port: the driver's bus information, if it names the host controller, and sysfs. The port
      // in sysfs begins with the number of the bus, which depends on the order in which host controllers start, so that
      // port is the second choice.
      let port = bus.hasPrefix("usb-") ? bus : "usb-" + usb.port
      fallback = DeviceID.make("\(model)-\(port)\(part)")
      preferred = usb.serial.map { DeviceID.make("\(model)-\($0)\(part)") } ?? fallback
    } else if bus.hasPrefix("PCI:") {
      // A capture card has one node for each connector, and all of these nodes have the same bus information.
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
