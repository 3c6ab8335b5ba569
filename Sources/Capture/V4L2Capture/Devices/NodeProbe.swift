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

/// The answer to VIDIOC_QUERYCAP.
struct NodeCapability: Hashable {
  var driver: String
  /// The name of the device for people.
  var card: String
  var busInfo: String
  /// The V4L2_CAP_ flags of this node; the flags of the whole device where the driver does not tell the node's own.
  var deviceCapabilities: UInt32

  init(driver: String, card: String, busInfo: String, deviceCapabilities: UInt32) {
    self.driver = driver
    self.card = card
    self.busInfo = busInfo
    self.deviceCapabilities = deviceCapabilities
  }

  init(_ capability: v4l2_capability) {
    self.init(
      driver: String(fixedArray: capability.driver), card: String(fixedArray: capability.card),
      busInfo: String(fixedArray: capability.bus_info),
      deviceCapabilities: capability.capabilities & UInt32(V4L2_CAP_DEVICE_CAPS) != 0
        ? capability.device_caps : capability.capabilities)
  }

  /// The interface to capture with. Nil when the node is no camera: a metadata, output or radio node, a codec or a
  /// scaler.
  ///
  /// Names do not tell cameras from other nodes: the metadata node of a UVC camera has the same card and driver as its
  /// video node.
  var captureInterface: CaptureInterface? {
    guard has(V4L2_CAP_STREAMING), !isNeverACamera else { return nil }
    if has(V4L2_CAP_VIDEO_CAPTURE) { return .singlePlanar }
    if has(V4L2_CAP_VIDEO_CAPTURE_MPLANE) { return .multiPlanar }
    return nil
  }

  /// Whether the node can never become a camera. Other nodes can become one when a program or a cable brings pictures,
  /// as a program does for a loopback device.
  var isNeverACamera: Bool {
    has(V4L2_CAP_VIDEO_M2M) || has(V4L2_CAP_VIDEO_M2M_MPLANE) || has(V4L2_CAP_META_CAPTURE)
  }

  /// Whether a program has to connect the parts of the device before the node gives pictures.
  var needsMediaController: Bool { has(V4L2_CAP_IO_MC) }

  private func has(_ flag: Int32) -> Bool { deviceCapabilities & UInt32(bitPattern: flag) != 0 }
}

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
