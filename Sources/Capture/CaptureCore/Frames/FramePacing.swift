public import SystemClocks

/// Chooses the frames to deliver when a receiver wants fewer frames than the camera brings. A value.
///
/// One frame is due in every wanted period, on a grid over the driver's time stamps. So frames come evenly and never
/// faster than the wanted rate. Counting frames instead would add up an error whenever the camera is not exactly as
/// fast as its driver says.
public struct FramePacing: Hashable, Sendable {
  /// The wanted period in nanoseconds. The rounding error of this value is a thousand times smaller than the error of
  /// any camera's clock.
  private let period: UInt64
  /// When the next frame is due; nil before the first frame.
  private var due: MonotonicInstant?

  /// Creates a pacing for `rate`.
  ///
  /// - Parameter rate: the wanted frames per second, above 0.
  public init(rate: Rational) {
    period = UInt64(rate.denominator) * 1_000_000_000 / UInt64(rate.numerator)
  }

  /// Decides whether to deliver the next frame.
  ///
  /// - Parameters:
  ///   - instant: the driver's time stamp.
  ///   - interval: the nanoseconds from one frame of the camera to the next; 0 when they are not known. A frame that
  ///     comes up to half an interval too early counts as the frame that is due; otherwise jitter would decide which
  ///     frame to take.
  /// - Returns: whether the frame is due.
  public mutating func keeps(_ instant: MonotonicInstant, interval: UInt64) -> Bool {
    guard let due else {
      self.due = instant + period
      return true
    }
    guard instant + interval / 2 >= due else { return false }
    // After a pause, and when the camera is slower than the wanted rate, the grid begins anew at this frame, so that no
    // burst of frames makes up for those that did not come.
    self.due = due + period <= instant ? instant + period : due + period
    return true
  }
}
