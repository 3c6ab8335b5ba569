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

/// An ioctl of V4L2: its request number, and its name for error messages.
struct VideoRequest: Hashable {
  var number: UInt
  var name: String

  private init(_ number: UInt, _ name: String) {
    self.number = number
    self.name = name
  }

  static let queryCapability = VideoRequest(CV4L2_VIDIOC_QUERYCAP, "VIDIOC_QUERYCAP")
  static let enumerateFormats = VideoRequest(CV4L2_VIDIOC_ENUM_FMT, "VIDIOC_ENUM_FMT")
  static let enumerateFrameSizes = VideoRequest(CV4L2_VIDIOC_ENUM_FRAMESIZES, "VIDIOC_ENUM_FRAMESIZES")
  static let enumerateFrameIntervals = VideoRequest(CV4L2_VIDIOC_ENUM_FRAMEINTERVALS, "VIDIOC_ENUM_FRAMEINTERVALS")
  static let getFormat = VideoRequest(CV4L2_VIDIOC_G_FMT, "VIDIOC_G_FMT")
  static let tryFormat = VideoRequest(CV4L2_VIDIOC_TRY_FMT, "VIDIOC_TRY_FMT")
  static let setFormat = VideoRequest(CV4L2_VIDIOC_S_FMT, "VIDIOC_S_FMT")
  static let getParameters = VideoRequest(CV4L2_VIDIOC_G_PARM, "VIDIOC_G_PARM")
  static let setParameters = VideoRequest(CV4L2_VIDIOC_S_PARM, "VIDIOC_S_PARM")
  static let getControl = VideoRequest(CV4L2_VIDIOC_G_CTRL, "VIDIOC_G_CTRL")
  static let setControl = VideoRequest(CV4L2_VIDIOC_S_CTRL, "VIDIOC_S_CTRL")
  static let queryExtendedControl = VideoRequest(CV4L2_VIDIOC_QUERY_EXT_CTRL, "VIDIOC_QUERY_EXT_CTRL")
  static let queryMenu = VideoRequest(CV4L2_VIDIOC_QUERYMENU, "VIDIOC_QUERYMENU")
  static let getExtendedControls = VideoRequest(CV4L2_VIDIOC_G_EXT_CTRLS, "VIDIOC_G_EXT_CTRLS")
  static let setExtendedControls = VideoRequest(CV4L2_VIDIOC_S_EXT_CTRLS, "VIDIOC_S_EXT_CTRLS")
  static let requestBuffers = VideoRequest(CV4L2_VIDIOC_REQBUFS, "VIDIOC_REQBUFS")
  static let createBuffers = VideoRequest(CV4L2_VIDIOC_CREATE_BUFS, "VIDIOC_CREATE_BUFS")
  static let queryBuffer = VideoRequest(CV4L2_VIDIOC_QUERYBUF, "VIDIOC_QUERYBUF")
  static let queueBuffer = VideoRequest(CV4L2_VIDIOC_QBUF, "VIDIOC_QBUF")
  static let dequeueBuffer = VideoRequest(CV4L2_VIDIOC_DQBUF, "VIDIOC_DQBUF")
  static let streamOn = VideoRequest(CV4L2_VIDIOC_STREAMON, "VIDIOC_STREAMON")
  static let streamOff = VideoRequest(CV4L2_VIDIOC_STREAMOFF, "VIDIOC_STREAMOFF")

  static let getInput = VideoRequest(CV4L2_VIDIOC_G_INPUT, "VIDIOC_G_INPUT")
  static let enumerateInputs = VideoRequest(CV4L2_VIDIOC_ENUMINPUT, "VIDIOC_ENUMINPUT")
  static let queryTimings = VideoRequest(CV4L2_VIDIOC_QUERY_DV_TIMINGS, "VIDIOC_QUERY_DV_TIMINGS")
  static let setTimings = VideoRequest(CV4L2_VIDIOC_S_DV_TIMINGS, "VIDIOC_S_DV_TIMINGS")
  static let subscribeEvent = VideoRequest(CV4L2_VIDIOC_SUBSCRIBE_EVENT, "VIDIOC_SUBSCRIBE_EVENT")
  static let dequeueEvent = VideoRequest(CV4L2_VIDIOC_DQEVENT, "VIDIOC_DQEVENT")

  static let all: [VideoRequest] = [
    queryCapability, enumerateFormats, enumerateFrameSizes, enumerateFrameIntervals, getFormat, tryFormat, setFormat,
    getParameters, setParameters, getControl, setControl, queryExtendedControl, queryMenu, getExtendedControls,
    setExtendedControls, requestBuffers, createBuffers, queryBuffer, queueBuffer, dequeueBuffer, streamOn, streamOff,
    getInput, enumerateInputs, queryTimings, setTimings, subscribeEvent, dequeueEvent,
  ]
}
