internal import CV4L2
internal import CaptureCore

/// Why the daemon cannot use the node of a camera. A value.
enum NodeRefusal: Hashable {
  /// This process may not open the node.
  case access(AccessRefusal)
  /// The daemon reads none of the formats that the driver lists.
  case formats([PixelFormat])
  /// The driver gives the two fields of an interlaced picture apart, in an order that is a `V4L2_FIELD_` value.
  case fields(UInt32)

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
      let name = Self.names[order] ?? "\(order)"
      return CaptureError(
        .formatNotSupported,
        "\(deviceID) gives the two fields of interlaced pictures apart (\(name)), which the daemon does not join; set "
          + "the device to a progressive source or to interlaced frames.",
        metadata: ["device": deviceID, "field": name])
    }
  }

  /// V4L2's names for orders of fields that lie apart.
  private static let names = [
    V4L2_FIELD_SEQ_TB.rawValue: "seq-tb", V4L2_FIELD_SEQ_BT.rawValue: "seq-bt",
    V4L2_FIELD_ALTERNATE.rawValue: "alternate",
  ]

  /// Whether the fields of an order lie apart. In any other order a buffer has whole pictures, or one field alone that
  /// counts as one.
  static func liesApart(_ order: UInt32) -> Bool { names[order] != nil }
}
