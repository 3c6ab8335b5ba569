internal import CV4L2

/// A buffer that the driver filled. The memory belongs to the kernel and is valid until the buffer is queued again.
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

  /// Whether the driver marked the buffer as damaged.
  var isDamaged: Bool { flags & UInt32(V4L2_BUF_FLAG_ERROR) != 0 }
}
