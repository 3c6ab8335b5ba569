internal import CV4L2
internal import Glibc

/// The ioctls that have to do with a driver's buffers.
struct BufferCalls {
  let node: VideoNode
  let interface: CaptureInterface

  /// The memory of one plane, as mmap(2) takes it.
  struct Extent {
    var length: UInt32
    var offset: UInt32
  }

  /// Takes all buffers from the driver, and asks for `count` new ones (VIDIOC_REQBUFS).
  ///
  /// - Returns: how many buffers the driver made, which may be more or fewer.
  func request(_ count: Int) throws(VideoNodeError) -> UInt32 {
    var request = v4l2_requestbuffers()
    request.count = UInt32(count)
    request.type = interface.bufferType
    request.memory = V4L2_MEMORY_MMAP.rawValue
    try node.perform(.requestBuffers, &request)
    return request.count
  }

  /// Asks the driver for one buffer more (VIDIOC_CREATE_BUFS).
  ///
  /// - Returns: the index of the buffer; nil when the driver made none.
  func create() throws(VideoNodeError) -> UInt32? {
    var request = v4l2_create_buffers()
    request.count = 1
    request.memory = V4L2_MEMORY_MMAP.rawValue
    request.format.type = interface.bufferType
    try node.perform(.getFormat, &request.format)
    try node.perform(.createBuffers, &request)
    return request.count == 1 ? request.index : nil
  }

  /// The planes of a buffer (VIDIOC_QUERYBUF).
  ///
  /// - Throws: EIO when the buffer has more planes than V4L2 allows.
  func query(_ index: UInt32) throws(VideoNodeError) -> [Extent] {
    var buffer = v4l2_buffer()
    var planes = PlaneArray()
    buffer.index = index
    try perform(.queryBuffer, &buffer, &planes)
    switch interface {
    case .singlePlanar:
      return [Extent(length: buffer.length, offset: buffer.m.offset)]
    case .multiPlanar:
      guard buffer.length <= planes.count else {
        throw VideoNodeError(call: VideoRequest.queryBuffer.name, errno: Errno(EIO))
      }
      return (0..<Int(buffer.length)).map { Extent(length: planes[$0].length, offset: planes[$0].m.mem_offset) }
    }
  }

  /// Gives a buffer to the driver (VIDIOC_QBUF).
  func queue(_ index: UInt32) throws(VideoNodeError) {
    var buffer = v4l2_buffer()
    var planes = PlaneArray()
    buffer.index = index
    try perform(.queueBuffer, &buffer, &planes)
  }

  /// Takes the oldest buffer that the driver has filled (VIDIOC_DQBUF).
  ///
  /// - Returns: the buffer, and what the driver told of its planes, also where it has only one; nil when the driver has
  ///   not filled another buffer yet.
  func dequeue() throws(VideoNodeError) -> (buffer: v4l2_buffer, planes: PlaneArray)? {
    var buffer = v4l2_buffer()
    var planes = PlaneArray()
    do {
      try perform(.dequeueBuffer, &buffer, &planes)
    } catch {
      if error.errno.rawValue == EAGAIN { return nil }
      throw error
    }
    if interface == .singlePlanar { planes[0].bytesused = buffer.bytesused }
    return (buffer, planes)
  }

  func streamOn() throws(VideoNodeError) {
    var type = interface.bufferType
    try node.perform(.streamOn, &type)
  }

  func streamOff() throws(VideoNodeError) {
    var type = interface.bufferType
    try node.perform(.streamOff, &type)
  }

  typealias PlaneArray = InlineArray<8, v4l2_plane>

  /// Performs an ioctl on a buffer, after filling in the fields that all of these ioctls need.
  private func perform(
    _ request: VideoRequest, _ buffer: inout v4l2_buffer, _ planes: inout PlaneArray
  ) throws(VideoNodeError) {
    buffer.type = interface.bufferType
    buffer.memory = V4L2_MEMORY_MMAP.rawValue
    guard interface == .multiPlanar else { return try node.perform(request, &buffer) }
    buffer.length = UInt32(planes.count)
    try withUnsafeMutablePointer(to: &planes) { pointer throws(VideoNodeError) in
      buffer.m.planes = UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: v4l2_plane.self)
      defer { buffer.m.planes = nil }
      try node.perform(request, &buffer)
    }
  }
}

extension InlineArray where Element == v4l2_plane {
  init() { self.init(repeating: v4l2_plane()) }
}
