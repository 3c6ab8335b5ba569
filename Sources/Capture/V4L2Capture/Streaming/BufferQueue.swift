internal import CV4L2
internal import Glibc

/// The buffers that driver and daemon pass back and forth, mapped into memory. Used by one thread.
final class BufferQueue {
  private let node: VideoNode
  private let interface: CaptureInterface
  /// By buffer, then plane.
  private var mappings: [[UnsafeMutableRawBufferPointer]] = []
  /// Buffers that the driver does not have because queueing them failed.
  private var unqueued: Set<UInt32> = []

  var count: Int { mappings.count }

  /// Asks for `count` buffers (REQBUFS) and maps them. When it throws, all is given back.
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

  /// How many buffers `node` should have: four let the daemon copy one while the driver fills one, with two to spare
  /// for a late wake-up; never fewer than the driver needs plus the one being copied.
  static func count(for node: VideoNode) -> Int {
    let least = node.control(CV4L2_CID_MIN_BUFFERS_FOR_CAPTURE) ?? 0
    return min(max(4, Int(least) + 1), Int(VIDEO_MAX_FRAME))
  }

  /// Hands every buffer to the driver, before STREAMON.
  func queueAll() throws(VideoNodeError) {
    for index in 0..<UInt32(mappings.count) { try queue(index) }
  }

  func streamOn() throws(VideoNodeError) {
    var type = interface.bufferType
    try node.perform(.streamOn, &type)
  }

  /// Takes all buffers back. Harmless when the device is gone.
  func streamOff() {
    var type = interface.bufferType
    try? node.perform(.streamOff, &type)
  }

  /// Takes the oldest filled buffer.
  ///
  /// - Returns: nil when there is none yet.
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
  /// A refused buffer is tried again with the next one: the stream goes on with fewer buffers.
  ///
  /// - Throws: when the device is gone, or the driver has no buffer left to fill.
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

  /// Unmaps and frees the buffers. Harmless when the device is gone.
  func release() {
    for mapping in mappings.joined() { node.syscalls.unmap(mapping.baseAddress!, length: mapping.count) }
    mappings = []
    var request = v4l2_requestbuffers()
    request.type = interface.bufferType
    request.memory = V4L2_MEMORY_MMAP.rawValue
    try? node.perform(.requestBuffers, &request)
  }

  /// Nil for what no clock shows. Loopback devices hand on what any program wrote, so the numbers may be anything.
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

  /// Performs a buffer ioctl with the fields that every one of them wants.
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
  /// Bytes `start` to `end`, as far as they exist: a driver's numbers are not trusted with memory.
  fileprivate func clamped(_ start: UInt32, _ end: UInt32) -> UnsafeMutableRawBufferPointer {
    let upper = Swift.min(Int(end), count)
    return UnsafeMutableRawBufferPointer(rebasing: self[Swift.min(Int(start), upper)..<upper])
  }
}

extension InlineArray where Element == v4l2_plane {
  init() { self.init(repeating: v4l2_plane()) }
}
