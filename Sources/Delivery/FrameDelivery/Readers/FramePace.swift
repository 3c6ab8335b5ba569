internal import CaptureCore

/// The frames of an output that a reader wants.
struct FramePace: Hashable, Sendable {
  /// Frames per second at most. Nil: every frame.
  var maxRate: Rational?
  /// The reader wants every n-th of the frames that `maxRate` leaves.
  var every = 1
}
