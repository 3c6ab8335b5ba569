internal import CaptureCore

/// Which frames of a stream outputs get when they want fewer than come. A value.
///
/// One frame is due every wanted period, on a grid of the driver's time stamps: never more than the wanted rate, evenly, and
/// without the error that a count of frames piles up when the device is not quite as fast as it says.
struct FrameDecimation: Hashable, Sendable {
  /// The stream it belongs to: it ends with it.
  let streamID: UInt64
  /// Nanoseconds. Rounding them is a thousand times less than the error of any camera's clock.
  private let period: UInt64
  /// Half a period of the device: a frame so much too early is the one that is due, or jitter would decide.
  private let tolerance: UInt64
  /// When the next frame is due; nil before the first.
  private var due: UInt64?

  /// - Parameters:
  ///   - rate: frames per second, above 0.
  ///   - deviceRate: as the driver confirmed it; zero when unknown.
  init(streamID: UInt64, rate: Rational, deviceRate: Rational) {
    self.streamID = streamID
    period = UInt64(rate.denominator) * 1_000_000_000 / UInt64(rate.numerator)
    tolerance = deviceRate.value > 0 ? UInt64(500_000_000 / deviceRate.value) : 0
  }

  /// Decides about the next frame.
  ///
  /// - Parameter instant: the driver's time stamp, nanoseconds of the monotonic clock.
  mutating func keeps(_ instant: UInt64) -> Bool {
    guard let due else {
      self.due = instant + period
      return true
    }
    guard instant + tolerance >= due else { return false }
    // After a pause, and on a device that is slower than the wanted rate, what did not come is not made up for.
    self.due = due + period <= instant ? instant + period : due + period
    return true
  }
}
