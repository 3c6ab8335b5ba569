internal import CV4L2

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
