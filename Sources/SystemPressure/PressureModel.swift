/// Turns readings into the state of the machine. A value; time is passed in, so a recorded trace always gives the same.
public struct PressureModel: Sendable {
  private struct Tracked {
    var zone: ThermalZone
    var level = ZoneLevel()
  }
  private var tracked: [String: Tracked] = [:]

  /// Whether the newest readings ask to be looked at often: a level above nominal, or at most 10 °C to one.
  public private(set) var isWarm = false

  public init() {}

  /// Takes the next reading of all zones.
  ///
  /// A zone that is gone stays listed, with a fault and without a temperature, until its level has fallen; then it is
  /// forgotten.
  ///
  /// - Parameters:
  ///   - zones: each name once.
  ///   - monotonicNanoseconds: CLOCK_MONOTONIC; decides when levels fall.
  ///   - wallNanoseconds: since the Unix epoch; only copied into the state.
  public mutating func update(
    _ zones: [ThermalZone], monotonicNanoseconds: UInt64, wallNanoseconds: UInt64
  ) -> PressureState {
    var next: [String: Tracked] = [:]
    isWarm = false
    for zone in zones {
      next[zone.name] = advance(tracked[zone.name], to: zone, at: monotonicNanoseconds)
    }
    for (name, old) in tracked where next[name] == nil {
      let gone = ThermalZone(name: name, type: old.zone.type, millidegrees: nil, fault: "the zone is gone")
      let moved = advance(old, to: gone, at: monotonicNanoseconds)
      if moved.level.level > .nominal { next[name] = moved }
    }
    tracked = next

    let readings = next.values
      .map { ThermalReading(zone: $0.zone, level: $0.level.level) }
      .sorted { ($0.zone.name.utf8.count, $0.zone.name) < ($1.zone.name.utf8.count, $1.zone.name) }
    let level = readings.map(\.level).max() ?? .nominal
    return PressureState(
      level: level, factors: level > .nominal ? [.systemTemperature] : [], readings: readings,
      readTimeWallNanoseconds: wallNanoseconds)
  }

  private mutating func advance(_ old: Tracked?, to zone: ThermalZone, at now: UInt64) -> Tracked {
    let thresholds = LevelThresholds(trips: zone.trips)
    var moved = Tracked(zone: zone, level: old?.level ?? ZoneLevel())
    moved.level.update(millidegrees: zone.millidegrees, thresholds: thresholds, now: now)
    if moved.level.level > .nominal { isWarm = true }
    if let thresholds, let millidegrees = zone.millidegrees, millidegrees >= thresholds.fair - 10_000 { isWarm = true }
    return moved
  }
}
