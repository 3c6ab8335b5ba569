internal import CV4L2
internal import CaptureCore
internal import SystemClocks

/// Decides at which time a frame was taken. One value for each stream.
///
/// The clock uses the driver's time stamp when the driver says that the stamp is of CLOCK_MONOTONIC *and* the stamp can
/// be true: not before STREAMON, later than the previous frame, and not in the future. A time stamp that wraps, belongs
/// to another clock, stands still or jumps back is replaced by the instant at which the buffer was dequeued, less the
/// lag of the last true stamp, and marked `.arrival`. Thus each frame is later than the one before, and the mark tells
/// a reader where each time comes from.
struct FrameClock {
  /// How many nanoseconds a time stamp may be before STREAMON or in the future. A time that a driver converts from a
  /// hardware clock (UVC) may be off by a little, and in places V4L2 stamps the end of a frame ahead of time.
  private static let tolerance: UInt64 = 1_000_000_000
  /// The least time from a frame to the next, in nanoseconds: drivers stamp frames in whole microseconds, and movies
  /// count them.
  private static let unit: UInt64 = 1000
  /// The time of the frame before, and before the first one the earliest that this may have.
  private var last: MonotonicInstant
  /// The newest stamp that can be true. It may be earlier than ``last`` for a few frames after an untrue one.
  private var lastStamp: MonotonicInstant
  /// How many nanoseconds after its stamp the frame with the newest true one was dequeued. The clock takes a frame
  /// without a true stamp to have come as late: otherwise its time could be later than the true stamp of the next
  /// frame.
  private var lag: UInt64 = 0

  /// - Parameter start: the instant of STREAMON.
  init(start: MonotonicInstant) { (last, lastStamp) = (start - Self.tolerance, start - Self.tolerance) }

  /// The time of a frame, and where the time comes from.
  ///
  /// - Parameters:
  ///   - stamp: the buffer's time stamp, in nanoseconds of the clock that `flags` name; nil when the buffer has no
  ///     valid one.
  ///   - flags: the `V4L2_BUF_FLAG_` bits of the buffer.
  ///   - now: the instant at which the buffer was dequeued.
  mutating func time(
    stamp: UInt64?, flags: UInt32, now: MonotonicInstant
  ) -> (monotonic: MonotonicInstant, source: FrameTime.Source) {
    let isMonotonic = flags & UInt32(V4L2_BUF_FLAG_TIMESTAMP_MASK) == UInt32(V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC)
    if isMonotonic, let stamp = stamp.map(MonotonicInstant.init), stamp > lastStamp, stamp <= now + Self.tolerance {
      (lastStamp, lag) = (stamp, now.nanoseconds(since: stamp))
      if stamp > last {
        last = stamp
        let marksStart = flags & UInt32(V4L2_BUF_FLAG_TSTAMP_SRC_MASK) == UInt32(V4L2_BUF_FLAG_TSTAMP_SRC_SOE)
        return (stamp, marksStart ? .startOfExposure : .endOfFrame)
      }
    }
    let arrival = now.nanoseconds - min(lag, now.nanoseconds)
    last = max(MonotonicInstant(nanoseconds: arrival / Self.unit * Self.unit), last + Self.unit)
    return (last, .arrival)
  }
}
