internal import CaptureCore

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
