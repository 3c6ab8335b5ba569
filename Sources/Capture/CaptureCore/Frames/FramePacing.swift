/// Which frames are due when fewer are wanted than come. A value.
///
/// One frame is due every wanted period, on a grid of the driver's time stamps: never more than the wanted rate, evenly, and
/// without the error that a count of frames piles up when the device is not quite as fast as it says.
public struct FramePacing: Hashable, Sendable {
  /// Nanoseconds. Rounding them is a thousand times less than the error of any camera's clock.
  private let period: UInt64
  /// When the next frame is due; nil before the first.
  private var due: UInt64?

  /// - Parameter rate: frames per second, above 0.
  public init(rate: Rational) {
    period = UInt64(rate.denominator) * 1_000_000_000 / UInt64(rate.numerator)
  }

  /// Decides about the next frame.
  ///
  /// - Parameters:
  ///   - instant: the driver's time stamp, nanoseconds of the monotonic clock.
  ///   - interval: nanoseconds from frame to frame; 0 when unknown. A frame half of it too early is the one that is due, or
  ///     jitter would decide.
  public mutating func keeps(_ instant: UInt64, interval: UInt64) -> Bool {
    guard let due else {
      self.due = instant + period
      return true
    }
    guard instant + interval / 2 >= due else { return false }
    // After a pause, and on a device that is slower than the wanted rate, what did not come is not made up for.
    self.due = due + period <= instant ? instant + period : due + period
    return true
  }
}
