internal import CV4L2

/// The answer to VIDIOC_QUERYCAP.
struct NodeCapability: Hashable {
  var driver: String
  /// The name for people.
  var card: String
  var busInfo: String
  /// What this node can do, as opposed to all nodes of the device.
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

  /// How to capture from the node; nil when it is not a camera: metadata, output, codec, scaler, radio.
  ///
  /// Names say nothing: a UVC camera's metadata node has the same card and driver as its video node.
  var captureInterface: CaptureInterface? {
    guard has(V4L2_CAP_STREAMING), !isNeverACamera else { return nil }
    if has(V4L2_CAP_VIDEO_CAPTURE) { return .singlePlanar }
    if has(V4L2_CAP_VIDEO_CAPTURE_MPLANE) { return .multiPlanar }
    return nil
  }

  /// Whether the node is of a kind that no program or cable turns into a camera, as it does with loopback devices.
  var isNeverACamera: Bool {
    has(V4L2_CAP_VIDEO_M2M) || has(V4L2_CAP_VIDEO_M2M_MPLANE) || has(V4L2_CAP_META_CAPTURE)
  }

  private func has(_ flag: Int32) -> Bool { deviceCapabilities & UInt32(bitPattern: flag) != 0 }
}
