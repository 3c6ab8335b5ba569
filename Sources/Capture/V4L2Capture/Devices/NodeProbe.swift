internal import CV4L2
internal import CaptureCore

/// Looks at one node.
enum NodeProbe {
  enum Finding: Hashable {
    case camera(CameraNode)
    /// Not a camera now, or one whose formats nobody can read.
    case notACamera
    /// A codec, scaler or metadata node. It stays that as long as the node is the same.
    case neverACamera
    /// The node is there, the device is not: open gives ENODEV until it comes back.
    case dead
    /// The node may not be opened.
    case denied(AccessRefusal)
    /// Opened by a program that allows no second.
    case busy
    /// This process has no descriptor or memory left to look, which says nothing of the node.
    case unseen
  }

  /// Opens the node briefly, which disturbs nobody.
  static func look(at path: String, hardware: Hardware?, with syscalls: any Syscalls) -> Finding {
    do throws(VideoNodeError) {
      let node = try VideoNode(opening: path, with: syscalls)
      defer { node.close() }
      let capability = try node.capability()
      guard let interface = capability.captureInterface else {
        return capability.isNeverACamera ? .neverACamera : .notACamera
      }
      let formats = FormatEnumerator(node: node, interface: interface).formats()
      // A device that goes while it is asked ends its lists early.
      guard node.isPresent else { return .dead }
      guard !formats.isEmpty else { return .notACamera }
      return .camera(
        CameraNode(
          path: path, interface: interface, capability: capability, hardware: hardware, formats: formats,
          orientation: node.control(CV4L2_CID_CAMERA_ORIENTATION)))
    } catch {
      if error.isShortage { return .unseen }
      switch CaptureError.failedCall(error, device: path, isPresent: false).reason {
      case .deviceDisconnected, .deviceNotResponding: return .dead
      case .deviceAccessDenied: return .denied(AccessRefusal(of: path, error.errno))
      case .deviceInUse: return .busy
      default: return .notACamera
      }
    }
  }
}
