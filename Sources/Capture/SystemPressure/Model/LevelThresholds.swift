public import CaptureCore

/// From which temperature on a zone is at which level, derived from the zone's own trip points.
///
/// | level | begins at |
/// |---|---|
/// | fair | 5 °C below serious |
/// | serious | the lowest passive or active trip, else 20 °C below critical, else 10 °C below hot |
/// | critical | the lowest hot trip, else midway between serious and the critical trip |
/// | shutdown | 5 °C below the lowest critical trip |
///
/// So a zone with only a critical trip has them 25, 20, 10 and 5 °C below it. Trips that the kernel has switched off
/// (zero or less) do not count. Firmware orders trips in every way, for example hot below passive: then the worse
/// level wins, that is, no level begins above a worse one.
public struct LevelThresholds: Hashable, Sendable {
  /// Thousandths of a degree Celsius, as all of these; `fair` ≤ `serious` ≤ `critical` ≤ `shutdown`.
  public let fair: Int
  public let serious: Int
  /// Nil when neither a hot nor a critical trip tells.
  public let critical: Int?
  /// Nil when no critical trip tells.
  public let shutdown: Int?

  /// Thresholds that somebody chose.
  ///
  /// - Returns: nil unless each is at least the one before.
  public init?(fair: Int, serious: Int, critical: Int? = nil, shutdown: Int? = nil) {
    let all = [fair, serious] + [critical, shutdown].compactMap { $0 }
    guard all == all.sorted() else { return nil }
    self.fair = fair
    self.serious = serious
    self.critical = critical
    self.shutdown = shutdown
  }

  /// - Returns: nil when no trip is usable; such a zone is always nominal.
  public init?(trips: [TripPoint]) {
    func lowest(_ kinds: TripPoint.Kind...) -> Int? {
      trips.filter { kinds.contains($0.kind) && $0.millidegrees > 0 }.map(\.millidegrees).min()
    }
    let hotTrip = lowest(.hot)
    let criticalTrip = lowest(.critical)
    guard
      let serious = lowest(.passive, .active) ?? criticalTrip.map({ $0 - 20_000 }) ?? hotTrip.map({ $0 - 10_000 })
    else { return nil }

    let shutdown = criticalTrip.map { $0 - 5_000 }
    let critical = hotTrip ?? criticalTrip.map { serious + ($0 - serious) / 2 }
    func capped(_ value: Int, by worse: Int?) -> Int { min(value, worse ?? value) }

    self.shutdown = shutdown
    self.critical = critical.map { capped($0, by: shutdown) }
    self.serious = capped(serious, by: self.critical)
    self.fair = capped(serious - 5_000, by: self.serious)
  }

  /// The level that `millidegrees` alone gives.
  public func level(at millidegrees: Int) -> PressureLevel {
    if let shutdown, millidegrees >= shutdown { return .shutdown }
    if let critical, millidegrees >= critical { return .critical }
    if millidegrees >= serious { return .serious }
    return millidegrees >= fair ? .fair : .nominal
  }
}
