internal import CV4L2
internal import CaptureCore

/// A camera as clients know it, and the node that the daemon opens for the camera.
struct Camera: Hashable {
  var device: Device
  var path: String
  var interface: CaptureInterface
  /// The camera's place in sysfs; nil without sysfs.
  var place: Hardware?
  /// The identity that distinguishes the camera from others. The identity does not depend on the id that the operator
  /// chose.
  var identity: DeviceIdentity
  var hardware: CameraIdentity
  var naming: DeviceDirectory.Naming

  /// Whether frames may keep the driver's buffers. uvcvideo makes its pictures in usual memory, and leaves a buffer
  /// alone until it is queued again. On some machines, other drivers have memory that the processor does not cache,
  /// which is slow to read more than once; and v4l2loopback writes into buffers that the daemon has.
  var lendsBuffers: Bool { device.driver == "uvcvideo" }
}

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

/// A node that belongs to a camera, with everything that the daemon knows about the node.
struct CameraNode: Hashable {
  var path: String
  var interface: CaptureInterface
  var capability: NodeCapability
  /// The hardware behind the node; nil without sysfs.
  var hardware: Hardware?
  /// The formats that the daemon can publish, in the driver's order; empty when the daemon cannot use the node.
  var formats: [DeviceFormat]
  /// The value of `V4L2_CID_CAMERA_ORIENTATION`: 0 front, 1 back, 2 external. Nil when the driver does not have this
  /// control.
  var orientation: Int32?
  /// Why the daemon cannot use the node; nil when it can.
  var refusal: NodeRefusal?
}

/// Which of V4L2's two capture interfaces a node has: single-planar or multi-planar.
enum CaptureInterface: Hashable {
  case singlePlanar, multiPlanar

  var bufferType: UInt32 {
    switch self {
    case .singlePlanar: V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
    case .multiPlanar: V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE.rawValue
    }
  }
}

/// The hardware that a node belongs to, as sysfs describes it.
struct Hardware: Hashable {
  struct USB: Hashable {
    /// The id of the vendor, four hexadecimal digits; `product` is spelled the same way.
    var vendor: String
    var product: String
    /// The serial number; nil when the device has none.
    var serial: String?
    /// The bus and the ports that lead to the device, as in `"1-1.2"`.
    var port: String
    /// The number of the video control interface, which distinguishes the cameras of one USB device.
    var interface: Int
    /// Whether the device cannot be unplugged, like the camera of a laptop.
    var isFixed: Bool
    /// How the device is attached to its bus; nil when the kernel does not tell.
    var link: USBLink?
  }

  /// The path of the device in sysfs, with all links resolved.
  var path: String
  /// The number of the node among all nodes of the same device.
  var index: Int
  /// Nil when the hardware is not a USB device.
  var usb: USB?
}
