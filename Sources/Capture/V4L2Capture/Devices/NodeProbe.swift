internal import CV4L2
internal import CaptureCore

/// Opens one node and finds out whether the node belongs to a camera.
enum NodeProbe {
  enum Finding: Hashable {
    /// The node belongs to a camera, which the daemon may be unable to use.
    case camera(CameraNode)
    /// The node is not a camera now.
    case notACamera
    /// A codec, scaler or metadata node. The finding holds as long as the node is the same.
    case neverACamera
    /// The node exists, but its device does not: opening fails with ENODEV until the device comes back.
    case dead
    /// This process may not open the node.
    case denied(AccessRefusal)
    /// Another program has opened the node, and the driver allows no second one.
    case busy
    /// This process lacks the descriptors or the memory to look, which says nothing about the node.
    case unseen
  }

  /// Opens the node briefly, and closes it again. The look does not disturb a program that streams from the device.
  static func look(at path: String, hardware: Hardware?, with syscalls: any Syscalls) -> Finding {
    do throws(VideoNodeError) {
      let node = try VideoNode(opening: path, with: syscalls)
      defer { node.close() }
      let capability = try node.capability()
      guard let interface = capability.captureInterface else {
        return capability.isNeverACamera ? .neverACamera : .notACamera
      }
      // Only a node that no program streams from takes other timings, and what it lists are the sizes of its timings.
      try? VideoInput(of: node).followSignal()
      let formats = FormatEnumerator(node: node, interface: interface).formats()
      // When a device goes during the enumeration, its list of formats is cut short.
      guard node.isPresent else { return .dead }
      let refusal = refusal(of: node, interface, capability, formats)
      guard !formats.isEmpty || refusal != nil else { return .notACamera }
      return .camera(
        CameraNode(
          path: path, interface: interface, capability: capability, hardware: hardware,
          formats: refusal == nil ? formats : [], orientation: node.control(CV4L2_CID_CAMERA_ORIENTATION),
          refusal: refusal))
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

  /// Why the daemon cannot use the pictures of a node; nil when it can, or when the node lists no format at all, as a
  /// loopback device does that nobody feeds.
  ///
  /// A device of which a program has to connect the parts first (V4L2_CAP_IO_MC) is no camera by itself.
  private static func refusal(
    of node: VideoNode, _ interface: CaptureInterface, _ capability: NodeCapability, _ formats: [DeviceFormat]
  ) -> NodeRefusal? {
    guard let format = formats.first?.pixelFormat else {
      let listed = FormatEnumerator(node: node, interface: interface).pixelFormats().map(\.format)
      return listed.isEmpty || capability.needsMediaController ? nil : .formats(listed)
    }
    // What the device is set to costs no transfer. Only a device that is set to fields apart is asked whether it can do
    // otherwise.
    guard let present = try? DriverFormat(of: node, interface), present.orderOfFieldsApart != nil,
      let other = try? DriverFormat(trying: format, present.size, on: node, interface)
    else { return nil }
    return other.orderOfFieldsApart.map { .fields($0) }
  }
}
