internal import CV4L2
internal import Glibc

/// The buffers that the driver and the daemon pass back and forth, mapped into memory. One thread uses a queue.
final class BufferQueue {
  private let node: VideoNode
  private let interface: CaptureInterface
  /// The mapped memory, by buffer index and then by plane.
  private var mappings: [[UnsafeMutableRawBufferPointer]] = []
  /// The indexes of the buffers that the driver should have, but refused.
  private var unqueued: Set<UInt32> = []

  var count: Int { mappings.count }

  /// Asks the driver for `count` buffers (VIDIOC_REQBUFS) and maps them. The driver may give more or fewer. When the
  /// initializer throws, all buffers are freed.
  ///
  /// - Throws: the error of the call that failed; ENOMEM when the driver gives no buffer, EIO when a buffer has more
  ///   planes than V4L2 allows.
  init(_ node: VideoNode, _ interface: CaptureInterface, count: Int) throws(VideoNodeError) {
    self.node = node
    self.interface = interface
    var request = v4l2_requestbuffers()
    request.count = UInt32(count)
    request.type = interface.bufferType
    request.memory = V4L2_MEMORY_MMAP.rawValue
    try node.perform(.requestBuffers, &request)
    do throws(VideoNodeError) {
      guard request.count > 0 else {
        throw VideoNodeError(call: VideoRequest.requestBuffers.name, errno: Errno(ENOMEM))
      }
      for index in 0..<request.count { try map(index) }
    } catch {
      release()
      throw error
    }
  }

  /// How many buffers `node` should have. With four buffers, the daemon copies one while the driver fills another, and
  /// two are spare for a late wake-up. A driver that needs more gets its minimum plus the buffer that the daemon
  /// copies, up to `VIDEO_MAX_FRAME`.
  static func count(for node: VideoNode) -> Int {
    let least = node.control(CV4L2_CID_MIN_BUFFERS_FOR_CAPTURE) ?? 0
    return min(max(4, Int(least) + 1), Int(VIDEO_MAX_FRAME))
  }

  /// Gives every buffer to the driver, before VIDIOC_STREAMON.
  func queueAll() throws(VideoNodeError) {
    for index in 0..<UInt32(mappings.count) { try queue(index) }
  }

  func streamOn() throws(VideoNodeError) {
    var type = interface.bufferType
    try node.perform(.streamOn, &type)
  }

  /// Stops streaming, which takes all buffers back from the driver. Has no effect when the device is gone.
  func streamOff() {
    var type = interface.bufferType
    try? node.perform(.streamOff, &type)
  }

  /// Takes the oldest buffer that the driver has filled.
  ///
  /// - Returns: nil when the driver has not filled another buffer yet.
  /// - Throws: the error of VIDIOC_DQBUF; EIO when the driver gives a buffer that does not exist.
  func dequeue() throws(VideoNodeError) -> FilledBuffer? {
    var buffer = v4l2_buffer()
    var planes = PlaneArray()
    do {
      try perform(.dequeueBuffer, &buffer, &planes)
    } catch {
      if error.errno.rawValue == EAGAIN { return nil }
      throw error
    }
    guard Int(buffer.index) < mappings.count else {
      throw VideoNodeError(call: VideoRequest.dequeueBuffer.name, errno: Errno(EIO))
    }
    return FilledBuffer(
      index: buffer.index, sequence: buffer.sequence, flags: buffer.flags,
      timestamp: Self.nanoseconds(buffer.timestamp),
      planes: payloads(buffer, planes))
  }

  /// Gives a buffer back to the driver.
  ///
  /// When the driver refuses a buffer, the stream goes on with fewer buffers, and the next call tries the refused
  /// buffer again.
  ///
  /// - Throws: the driver's error when the device is gone, or when the driver has no buffer left to fill.
  func requeue(_ index: UInt32) throws(VideoNodeError) {
    unqueued.insert(index)
    for index in unqueued.sorted() {
      do {
        try queue(index)
        unqueued.remove(index)
      } catch {
        if error.isLoss || unqueued.count == mappings.count { throw error }
      }
    }
  }

  /// Unmaps and frees the buffers. Also works when the device is gone.
  func release() {
    for mapping in mappings.joined() { node.syscalls.unmap(mapping.baseAddress!, length: mapping.count) }
    mappings = []
    var request = v4l2_requestbuffers()
    request.type = interface.bufferType
    request.memory = V4L2_MEMORY_MMAP.rawValue
    try? node.perform(.requestBuffers, &request)
  }

  /// The driver's time stamp in nanoseconds. Nil when the numbers are no valid time: a loopback device passes on the
  /// numbers of the writing program, which may be anything.
  private static func nanoseconds(_ time: timeval) -> UInt64? {
    guard (0..<10_000_000_000).contains(time.tv_sec), (0..<1_000_000).contains(time.tv_usec) else { return nil }
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_usec) * 1000
  }

  private typealias PlaneArray = InlineArray<8, v4l2_plane>

  private func map(_ index: UInt32) throws(VideoNodeError) {
    var buffer = v4l2_buffer()
    var planes = PlaneArray()
    buffer.index = index
    try perform(.queryBuffer, &buffer, &planes)
    mappings.append([])
    switch interface {
    case .singlePlanar:
      try map(length: buffer.length, offset: buffer.m.offset)
    case .multiPlanar:
      guard buffer.length <= planes.count else {
        throw VideoNodeError(call: VideoRequest.queryBuffer.name, errno: Errno(EIO))
      }
      for plane in 0..<Int(buffer.length) { try map(length: planes[plane].length, offset: planes[plane].m.mem_offset) }
    }
  }

  private func map(length: UInt32, offset: UInt32) throws(VideoNodeError) {
    do {
      let base = try node.syscalls.map(node.descriptor, length: Int(length), offset: Int(offset))
      mappings[mappings.count - 1].append(UnsafeMutableRawBufferPointer(start: base, count: Int(length)))
    } catch {
      throw VideoNodeError(call: "mmap", errno: error)
    }
  }

  private func queue(_ index: UInt32) throws(VideoNodeError) {
    var buffer = v4l2_buffer()
    var planes = PlaneArray()
    buffer.index = index
    try perform(.queueBuffer, &buffer, &planes)
  }

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

  /// The bytes that the driver filled, one range for each plane.
  private func payloads(_ buffer: v4l2_buffer, _ planes: PlaneArray) -> [UnsafeMutableRawBufferPointer] {
    let mapped = mappings[Int(buffer.index)]
    switch interface {
    case .singlePlanar:
      return [mapped[0].clamped(0, buffer.bytesused)]
    case .multiPlanar:
      return mapped.indices.map { mapped[$0].clamped(planes[$0].data_offset, planes[$0].bytesused) }
    }
  }
}

extension UnsafeMutableRawBufferPointer {
  /// The bytes from `start` up to, but not including, `end`, cut to the mapped memory. The daemon does not trust a
  /// driver's numbers with memory.
  fileprivate func clamped(_ start: UInt32, _ end: UInt32) -> UnsafeMutableRawBufferPointer {
    let upper = Swift.min(Int(end), count)
    return UnsafeMutableRawBufferPointer(rebasing: self[Swift.min(Int(start), upper)..<upper])
  }
}

extension InlineArray where Element == v4l2_plane {
  init() { self.init(repeating: v4l2_plane()) }
}
