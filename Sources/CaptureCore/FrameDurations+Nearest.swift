extension FrameDurations {
  /// The duration whose rate is nearest to `rate`, as a driver picks it. Nil when there are none, or `rate` is zero.
  public func nearest(toRate rate: Rational) -> Rational? {
    guard rate.value > 0 else { return nil }
    switch self {
    case .discrete(let durations):
      func distance(_ duration: Rational) -> Double { abs(duration.reciprocal.value - rate.value) }
      return durations.min { distance($0) < distance($1) }
    case .range(let shortest, let longest, _):
      // Steps are left to the driver, which rounds.
      return min(max(rate.reciprocal, shortest), longest)
    }
  }
}
