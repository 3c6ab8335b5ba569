internal import CV4L2
internal import CaptureCore
internal import Synchronization

/// One of a driver's buffers, mapped into memory. The mapping ends with the last reference to this object. A frame in
/// the buffer has a reference, so that its bytes stay after the end of the stream.
///
/// The capture thread maps and detaches the buffer. Any thread may read it and take it back.
final class DriverBuffer: FrameLender, @unchecked Sendable {
  let index: UInt32
  /// The mapped memory of each plane. Does not change once a frame may be in the buffer.
  private(set) var planes: [UnsafeMutableRawBufferPointer] = []
  /// The memory as a frame can have it; nil while there is not exactly one plane.
  private(set) var slab: FrameMemory.Slab?
  private let returns: ReturnedBuffers
  private let syscalls: any Syscalls

  init(_ index: UInt32, returns: ReturnedBuffers, syscalls: any Syscalls) {
    self.index = index
    self.returns = returns
    self.syscalls = syscalls
  }

  deinit { for plane in planes { syscalls.unmap(plane.baseAddress!, length: plane.count) } }

  /// Maps another plane.
  func map(_ descriptor: Int32, _ extent: BufferCalls.Extent) throws(VideoNodeError) {
    let (length, offset) = (Int(extent.length), Int(extent.offset))
    let base: UnsafeMutableRawPointer
    do { base = try syscalls.map(descriptor, length: length, offset: offset) } catch {
      throw VideoNodeError(call: "mmap", errno: error)
    }
    planes.append(UnsafeMutableRawBufferPointer(start: base, count: length))
    slab = planes.count == 1 ? FrameMemory.Slab(base: base, capacity: length) : nil
  }

  /// Makes a mapping that a frame still uses independent of the device, which the mapping would keep open. When the
  /// system has no memory for that, the device stays open until nobody uses the frame.
  func detach() {
    for plane in planes { try? syscalls.detach(plane.baseAddress!, length: plane.count) }
  }

  func takeBack() { returns.add(index) }
}

/// The buffers that frames gave back and that the capture thread has not seen yet. Thread-safe.
final class ReturnedBuffers: Sendable {
  /// The largest number of buffers.
  static let capacity = 32
  /// One bit for each buffer.
  private let bits = Atomic<UInt32>(0)

  func add(_ index: UInt32) { bits.bitwiseOr(1 << index, ordering: .releasing) }

  /// Removes all buffers, and returns their indexes.
  func takeAll() -> [UInt32] {
    guard bits.load(ordering: .relaxed) != 0 else { return [] }
    let taken = bits.exchange(0, ordering: .acquiring)
    return (0..<UInt32(Self.capacity)).filter { taken & 1 << $0 != 0 }
  }
}

/// A buffer that the driver filled. Its bytes are valid until the buffer is queued again.
struct FilledBuffer {
  var index: UInt32
  /// The driver's 32-bit sequence number, which may wrap.
  var sequence: UInt32
  var flags: UInt32
  /// The driver's time stamp, in nanoseconds of the clock that ``flags`` name. Nil when the driver's numbers are no
  /// valid time. ``FrameClock`` converts the stamp to an instant.
  var timestamp: UInt64?
  /// The bytes that the driver filled, one range for each plane.
  var planes: [UnsafeMutableRawBufferPointer]
  /// The buffer itself, if the frame may keep it; nil when the picture has to be copied.
  var loan: DriverBuffer?

  /// Whether the driver marked the buffer as damaged.
  var isDamaged: Bool { flags & UInt32(V4L2_BUF_FLAG_ERROR) != 0 }
}

extension FilledBuffer {
  /// Takes over what VIDIOC_DQBUF told of a buffer.
  init(_ buffer: v4l2_buffer, _ planes: BufferCalls.PlaneArray, in memory: DriverBuffer, canLend: Bool) {
    index = buffer.index
    sequence = buffer.sequence
    flags = buffer.flags
    timestamp = Self.nanoseconds(buffer.timestamp)
    self.planes = memory.planes.indices.map { memory.planes[$0].clamped(planes[$0].data_offset, planes[$0].bytesused) }
    loan = canLend ? memory : nil
  }

  /// The driver's time stamp in nanoseconds. Nil when the numbers are no valid time: a loopback device passes on the
  /// numbers of the writing program, which may be anything.
  private static func nanoseconds(_ time: timeval) -> UInt64? {
    guard (0..<10_000_000_000).contains(time.tv_sec), (0..<1_000_000).contains(time.tv_usec) else { return nil }
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_usec) * 1000
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
