internal import CV4L2

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
