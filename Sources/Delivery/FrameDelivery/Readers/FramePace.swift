internal import CaptureCore

/// Which of an output's frames a reader wants.
struct FramePace: Hashable, Sendable {
  /// Frames per second at most. Nil: all.
  var maxRate: Rational?
  /// Of these every n-th.
  var every = 1
}
