/// How long a frame may last: V4L2 frame intervals.
public enum FrameDurations: Hashable, Sendable {
  /// Exactly these, shortest first. Empty when the driver does not say.
  case discrete([Rational])
  /// From the shortest to the longest. `step` nil means any value between (V4L2 continuous).
  case range(shortest: Rational, longest: Rational, step: Rational?)
}
