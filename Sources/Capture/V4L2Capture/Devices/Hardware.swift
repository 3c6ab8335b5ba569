internal import CaptureCore

/// The piece of hardware a node belongs to, as sysfs tells it.
struct Hardware: Hashable {
  struct USB: Hashable {
    /// Four hexadecimal digits each.
    var vendor: String
    var product: String
    var serial: String?
    /// Bus and ports, `"1-1.2"`.
    var port: String
    /// The number of the video control interface: tells the cameras of one USB device apart.
    var interface: Int
    /// Soldered in, as laptop cameras are.
    var isFixed: Bool
    /// Nil when the kernel does not tell.
    var link: USBLink?
  }

  /// The device in sysfs, links resolved.
  var path: String
  /// The node's number among those of the same device.
  var index: Int
  var usb: USB?
}
