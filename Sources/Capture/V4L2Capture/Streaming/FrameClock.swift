internal import CV4L2
internal import CaptureCore

/// Decides which time a buffer was captured at. One per stream.
///
/// The driver's stamp is taken where it says CLOCK_MONOTONIC *and* can be true: not before STREAMON, not before the
/// frame before it, not in the future. Clocks that wrap, run in another domain or jump back give the instant of
/// dequeueing instead, marked `.arrival`: times never go backwards, and no reader has to guess why.
struct FrameClock {
  /// Hardware clocks that a driver converts (UVC) may be off by a little; V4L2 stamps an end of frame ahead in places.
  private static let tolerance: UInt64 = 1_000_000_000
  private var earliest: UInt64

  /// - Parameter start: the monotonic instant of STREAMON.
  init(start: UInt64) { earliest = start - min(start, Self.tolerance) }

  /// - Parameters:
  ///   - stamp: the buffer's time stamp, nanoseconds; nil when it is none.
  ///   - flags: the buffer's.
  ///   - now: the monotonic instant at which the buffer was dequeued.
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
