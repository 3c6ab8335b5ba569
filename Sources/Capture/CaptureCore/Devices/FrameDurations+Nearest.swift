extension FrameDurations {
  /// The duration whose rate is nearest to `rate`, as a driver would choose it; nil when there are no durations, or
  /// when `rate` is zero.
  public func nearest(toRate rate: Rational) -> Rational? {
    guard rate.value > 0 else { return nil }
    switch self {
    case .discrete(let durations):
      func distance(_ duration: Rational) -> Double { abs(duration.reciprocal.value - rate.value) }
      return durations.min { distance($0) < distance($1) }
    case .range(let shortest, let longest, _):
      // The steps of the range do not matter here, because the driver rounds to them.
      return min(max(rate.reciprocal, shortest), longest)
    }
  }

  /// The rate on offer that `rate` means: the nearest rate, if the two differ by at most 1 %. So 29.97 finds 30000/1001
  /// as well as 30. When the driver tells no durations, the answer is `rate` itself. Nil when no rate on offer is near
  /// enough.
  public func offered(_ rate: Rational) -> Rational? {
    if self == .discrete([]) { return rate }
    return nearest(toRate: rate).map(\.reciprocal).flatMap { rate.names($0) ? $0 : nil }
  }
}

extension Rational {
  /// Whether this rate, which a client asked for, means the rate `offered`. The two rates may differ by 1 % of
  /// `offered`, because drivers write 29.97 in several ways.
  public func names(_ offered: Rational) -> Bool { abs(offered.value - value) <= offered.value / 100 }
}
