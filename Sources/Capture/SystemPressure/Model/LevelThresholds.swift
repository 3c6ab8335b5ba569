public import CaptureCore

/// The temperatures at which the levels of a zone begin. By default they follow from the zone's own trip points.
///
/// | level | begins at |
/// |---|---|
/// | fair | 5 °C below serious |
/// | serious | the lowest passive or active trip, else 20 °C below critical, else 10 °C below hot |
/// | critical | the lowest hot trip, else midway between serious and the critical trip |
/// | shutdown | 5 °C below the lowest critical trip |
///
/// In the row of serious, critical and hot are the lowest trips of these kinds. The levels of a zone with only a
/// critical trip thus begin 25, 20, 10 and 5 °C below that trip.
///
/// Trips that the kernel has switched off (zero or less) do not count, and neither do those that are not plausible:
/// hot and critical ones below 60 °C, others below 45 °C, and all above 200 °C. Firmware orders trips in every way,
/// for example hot below passive. The worse level then wins: no level begins above a worse one.
public struct LevelThresholds: Hashable, Sendable {
  /// The temperature at which fair begins, in thousandths of a degree Celsius. The thresholds never fall: `fair` ≤
  /// `serious` ≤ `critical` ≤ `shutdown`.
  public let fair: Int
  /// The temperature at which serious begins, in thousandths of a degree Celsius.
  public let serious: Int
  /// The temperature at which critical begins, in thousandths of a degree Celsius. Nil when no hot and no critical trip
  /// gives it.
  public let critical: Int?
  /// The temperature at which shutdown begins, in thousandths of a degree Celsius. Nil when no critical trip gives it.
  public let shutdown: Int?

  /// Makes thresholds that an operator chose, in thousandths of a degree Celsius.
  ///
  /// - Returns: nil unless each threshold is at least as high as the one before. A nil threshold is left out of the
  ///   comparison.
  public init?(fair: Int, serious: Int, critical: Int? = nil, shutdown: Int? = nil) {
    let all = [fair, serious] + [critical, shutdown].compactMap { $0 }
    guard all == all.sorted() else { return nil }
    self.fair = fair
    self.serious = serious
    self.critical = critical
    self.shutdown = shutdown
  }

  /// Derives the thresholds from trip points by the table above.
  ///
  /// - Returns: nil when no trip is usable; a zone without thresholds is always nominal.
  public init?(trips: [TripPoint]) {
    func lowest(_ kinds: TripPoint.Kind...) -> Int? {
      trips.filter { kinds.contains($0.kind) && $0.isPlausible }.map(\.millidegrees).min()
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

  /// The level that the temperature alone gives, without hysteresis.
  ///
  /// - Parameter millidegrees: thousandths of a degree Celsius.
  public func level(at millidegrees: Int) -> PressureLevel {
    if let shutdown, millidegrees >= shutdown { return .shutdown }
    if let critical, millidegrees >= critical { return .critical }
    if millidegrees >= serious { return .serious }
    return millidegrees >= fair ? .fair : .nominal
  }
}

/// The thresholds that an operator sets in place of a source's own: the trips of a zone, the limits of a sensor or the
/// defaults for a camera.
public struct ThresholdOverrides: Hashable, Sendable {
  private var thresholds: [String: LevelThresholds] = [:]

  /// Makes overrides without any entry.
  public init() {}

  /// Adds an entry such as `cpu-thermal=70/80/90/100`. Before the equals sign stands a zone's type or folder, a
  /// sensor's chip or name, or a camera's `devices/{id}`. The numbers are the temperatures in degrees Celsius at which
  /// fair, serious, critical and shutdown begin. The last two may be left out; the source then never reaches those
  /// levels.
  ///
  /// - Returns: whether the entry could be read.
  public mutating func add(_ entry: String) -> Bool {
    guard let equals = entry.lastIndex(of: "="), equals > entry.startIndex else { return false }
    let fields = entry[entry.index(after: equals)...].split(separator: "/", omittingEmptySubsequences: false)
    let degrees = fields.compactMap { Double($0.filter { $0 != " " }) }
    guard (2...4).contains(fields.count), degrees.count == fields.count,
      // This check also rejects `nan`, which is no number.
      degrees.allSatisfy({ (-273...1000).contains($0) })
    else { return false }
    let values = degrees.map { Int(($0 * 1000).rounded()) }
    guard
      let found = LevelThresholds(
        fair: values[0], serious: values[1], critical: values.count > 2 ? values[2] : nil,
        shutdown: values.count > 3 ? values[3] : nil)
    else { return false }
    thresholds[String(entry[..<equals])] = found
    return true
  }

  /// The thresholds for the first of `names` that has any; nil when none has.
  func callAsFunction(_ names: String...) -> LevelThresholds? {
    for name in names { if let found = thresholds[name] { return found } }
    return nil
  }
}
