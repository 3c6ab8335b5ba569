internal import CV4L2
internal import CaptureCore

/// Decides at which time a frame was taken. One value for each stream.
///
/// The clock uses the driver's time stamp when the driver says that the stamp is of CLOCK_MONOTONIC *and* the stamp can
/// be true: not before STREAMON, not before the previous frame, and not in the future. A time stamp that wraps, belongs
/// to another clock or jumps back is replaced by the instant at which the buffer was dequeued, marked `.arrival`. Thus
/// times never go backwards, and the mark tells a reader where each time comes from.
struct FrameClock {
  /// How many nanoseconds a time stamp may be before STREAMON or in the future. A time that a driver converts from a
  /// hardware clock (UVC) may be off by a little, and in places V4L2 stamps the end of a frame ahead of time.
  private static let tolerance: UInt64 = 1_000_000_000
  /// The earliest time that the next frame may have, CLOCK_MONOTONIC in nanoseconds.
  private var earliest: UInt64

  /// - Parameter start: the instant of STREAMON, CLOCK_MONOTONIC in nanoseconds.
  init(start: UInt64) { earliest = start - min(start, Self.tolerance) }

  /// The time of a frame, CLOCK_MONOTONIC in nanoseconds, and where the time comes from.
  ///
  /// - Parameters:
  ///   - stamp: the buffer's time stamp in nanoseconds; nil when the buffer has no valid one.
  ///   - flags: the `V4L2_BUF_FLAG_` bits of the buffer.
  ///   - now: the instant at which the buffer was dequeued, CLOCK_MONOTONIC in nanoseconds.
  mutating func time(stamp: UInt64?, flags: UInt32, now: UInt64) -> (monotonic: UInt64, source: FrameTime.Source) {
    let isMonotonic = flags & UInt32(V4L2_BUF_FLAG_TIMESTAMP_MASK) == UInt32(V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC)
    if isMonotonic, let stamp, stamp >= earliest, stamp <= now + Self.tolerance {
      earliest = stamp
      let marksStart = flags & UInt32(V4L2_BUF_FLAG_TSTAMP_SRC_MASK) == UInt32(V4L2_BUF_FLAG_TSTAMP_SRC_SOE)
      return (stamp, marksStart ? .startOfExposure : .endOfFrame)
    }
    earliest = max(now, earliest)
    return (earliest, .arrival)
  }
}
