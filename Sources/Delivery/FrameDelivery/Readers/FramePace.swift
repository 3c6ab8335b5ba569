internal import CaptureCore

/// The frames of an output that a reader wants.
struct FramePace: Hashable, Sendable {
  /// Frames per second at most. Nil: every frame.
  var maxRate: Rational?
  /// The reader wants every n-th of the frames that `maxRate` leaves.
  var every = 1

  /// How many frames per second the reader gets of a camera that gives `rate`.
  func rate(of rate: Rational) -> Rational {
    let most = min(maxRate ?? rate, rate)
    let (denominator, overflows) = most.denominator.multipliedReportingOverflow(by: UInt32(clamping: every))
    return overflows ? most : Rational(most.numerator, denominator)
  }
}
