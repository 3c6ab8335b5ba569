internal import CV4L2

/// An open video node. The struct only holds the descriptor: the code that opens the node must call ``close()``.
struct VideoNode {
  let descriptor: Int32
  let syscalls: any Syscalls

  /// Opens `path` for non-blocking use. Opening a node is not exclusive, and does not disturb a program that streams
  /// from the device.
  init(opening path: String, with syscalls: any Syscalls) throws(VideoNodeError) {
    do { descriptor = try syscalls.open(path) } catch { throw VideoNodeError(call: "open", errno: error) }
    self.syscalls = syscalls
  }

  func close() { syscalls.close(descriptor) }

  /// Performs `request`. `argument` is the C struct that belongs to `request`; the kernel may change `argument` even
  /// when the call fails.
  func perform<Argument>(
    _ request: VideoRequest, _ argument: inout Argument
  ) throws(VideoNodeError) {
    do {
      try withUnsafeMutablePointer(to: &argument) { pointer throws(Errno) in
        try syscalls.ioctl(descriptor, request.number, UnsafeMutableRawPointer(pointer))
      }
    } catch {
      throw VideoNodeError(call: request.name, errno: error)
    }
  }

  /// The value of a control; nil when the device does not have the control or does not tell the value.
  func control(_ id: UInt32) -> Int32? {
    var control = v4l2_control(id: id, value: 0)
    do { try perform(.getControl, &control) } catch { return nil }
    return control.value
  }

  /// Sets a control.
  func set(_ id: UInt32, to value: Int32) throws(VideoNodeError) {
    var control = v4l2_control(id: id, value: value)
    try perform(.setControl, &control)
  }

  /// The driver's description of a control; nil for a control that the daemon cannot use, see
  /// ``DriverControl/init(_:)``.
  func query(_ id: UInt32) throws(VideoNodeError) -> DriverControl? {
    var query = v4l2_query_ext_ctrl()
    query.id = id
    try perform(.queryExtendedControl, &query)
    return DriverControl(query)
  }

  /// Whether the device still answers. False after the kernel unregistered the device, even while the descriptor is
  /// open.
  var isPresent: Bool { (try? capability()) != nil }

  /// The driver, the name and the capabilities of the node.
  func capability() throws(VideoNodeError) -> NodeCapability {
    var capability = v4l2_capability()
    try perform(.queryCapability, &capability)
    return NodeCapability(capability)
  }
}

extension String {
  /// The text in a fixed-size C array, up to the first NUL. Ill-formed UTF-8 is replaced.
  init<Characters>(fixedArray array: Characters) {
    self = withUnsafeBytes(of: array) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
  }
}
