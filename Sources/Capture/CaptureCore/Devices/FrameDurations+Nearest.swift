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

  /// The rate on offer that `rate` names: the nearest, as long as it is no more than 1 % away, so that 29.97 finds both
  /// 30000/1001 and 30. `rate` itself where the driver does not tell. Nil when no such rate is on offer.
  public func offered(_ rate: Rational) -> Rational? {
    if self == .discrete([]) { return rate }
    return nearest(toRate: rate).map(\.reciprocal).flatMap { rate.names($0) ? $0 : nil }
  }
}

extension Rational {
  /// Whether a rate asked for means `offered`: drivers write 29.97 in several ways.
  public func names(_ offered: Rational) -> Bool { abs(offered.value - value) <= offered.value / 100 }
}
