internal import CV4L2

/// A buffer that the driver filled. Its memory is the kernel's: valid until the buffer is queued again.
struct FilledBuffer {
  var index: UInt32
  /// As the driver counts, 32 bits.
  var sequence: UInt32
  var flags: UInt32
  /// The driver's stamp in nanoseconds; nil when it is not a time.
  var timestamp: UInt64?
  /// The payload of each plane.
  var planes: [UnsafeMutableRawBufferPointer]

  var isDamaged: Bool { flags & UInt32(V4L2_BUF_FLAG_ERROR) != 0 }
}
