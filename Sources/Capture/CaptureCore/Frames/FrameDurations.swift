/// The durations that a frame may have, in seconds: V4L2's frame intervals.
public enum FrameDurations: Hashable, Sendable {
  /// Exactly these durations, the shortest first. Empty when the driver tells none.
  case discrete([Rational])
  /// All durations from the shortest to the longest in steps of `step`. When `step` is nil, every duration in between
  /// is possible (V4L2's continuous intervals).
  case range(shortest: Rational, longest: Rational, step: Rational?)
}
