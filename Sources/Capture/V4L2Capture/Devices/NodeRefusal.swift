internal import CaptureCore

/// Why the daemon cannot use the node of a camera. A value.
enum NodeRefusal: Hashable {
  /// This process may not open the node.
  case access(AccessRefusal)
  /// The daemon reads none of the formats that the driver lists.
  case formats([PixelFormat])
  /// The driver gives the two fields of an interlaced picture apart, in the order of this name.
  case fields(String)

  /// The error of every call that needs the camera `deviceID`.
  func error(device deviceID: String) -> CaptureError {
    switch self {
    case .access(let refusal): return refusal.error(device: deviceID)
    case .formats(let formats):
      let names = formats.map { "\($0)" }.joined(separator: ", ")
      return CaptureError(
        .formatNotSupported, "\(deviceID) gives only \(names), and the daemon reads none of them.",
        metadata: ["device": deviceID, "formats": names])
    case .fields(let order):
      return CaptureError(
        .formatNotSupported,
        "\(deviceID) gives the two fields of interlaced pictures apart (\(order)), which the daemon does not join; set "
          + "the device to a progressive source or to interlaced frames.",
        metadata: ["device": deviceID, "field": order])
    }
  }
}
