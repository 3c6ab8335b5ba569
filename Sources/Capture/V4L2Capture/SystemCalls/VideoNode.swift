internal import CV4L2

/// An open video node. A plain handle: whoever opened it closes it.
struct VideoNode {
  let descriptor: Int32
  let syscalls: any Syscalls

  /// Opens `path` for non-blocking use. Opening is not exclusive and disturbs nobody who streams from the device.
  init(opening path: String, with syscalls: any Syscalls) throws(VideoNodeError) {
    do { descriptor = try syscalls.open(path) } catch { throw VideoNodeError(call: "open", errno: error) }
    self.syscalls = syscalls
  }

  func close() { syscalls.close(descriptor) }

  /// Performs `request` with its own C struct, which is changed even when the call fails.
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

  /// The value of a control, nil when the device does not have it.
  func control(_ id: UInt32) -> Int32? {
    var control = v4l2_control(id: id, value: 0)
    do { try perform(.getControl, &control) } catch { return nil }
    return control.value
  }

  /// What the driver tells of a control; nil for one that is of no use.
  func query(_ id: UInt32) throws(VideoNodeError) -> DriverControl? {
    var query = v4l2_query_ext_ctrl()
    query.id = id
    try perform(.queryExtendedControl, &query)
    return DriverControl(query)
  }

  /// Whether the device still answers. False once the kernel unregistered it, even though the descriptor is open.
  var isPresent: Bool { (try? capability()) != nil }

  /// What the node is and can do.
  func capability() throws(VideoNodeError) -> NodeCapability {
    var capability = v4l2_capability()
    try perform(.queryCapability, &capability)
    return NodeCapability(capability)
  }
}

extension String {
  /// The text of a fixed-size C array: up to the first NUL, ill-formed UTF-8 replaced.
  init<Characters>(fixedArray array: Characters) {
    self = withUnsafeBytes(of: array) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
  }
}
