public import SystemClocks

/// Turns readings into the state of the machine. A value; callers pass the time in, so that a recorded trace always
/// gives the same states.
public struct PressureModel: Sendable {
  private let overrides: ThresholdOverrides
  private var zones = SourceTracker<ThermalZone>()
  private var sensors = SourceTracker<TemperatureSensor>()
  private var throttleCounters = SourceTracker<ThrottleCounter>()
  private var powerSupplies = SourceTracker<PowerSupply>()
  private var supplyAlarms = SourceTracker<SupplyAlarm>()
  private var stalls = SourceTracker<ResourceStall>()
  private var cameras = SourceTracker<CameraTemperature>()
  private var trends: [String: TemperatureTrend] = [:]

  /// Whether the monitor should read often, judging by the newest readings: a source is above nominal, a temperature is
  /// at most 10 °C below its lowest level, or tasks wait at least half as long as the lowest level takes.
  public private(set) var isWarm = false

  /// Makes a model without history.
  ///
  /// - Parameter overrides: thresholds that replace the trips of zones, the limits of sensors and the defaults for
  ///   cameras.
  public init(overrides: ThresholdOverrides = ThresholdOverrides()) { self.overrides = overrides }

  /// Takes the next readings and gives them back with their levels.
  ///
  /// A source that is gone stays in the list, with a fault and without a value, until its level has fallen. The model
  /// then forgets the source.
  ///
  /// - Parameters:
  ///   - readings: each list has each name at most once.
  ///   - now: the present time, which decides when levels fall.
  ///   - wallTime: the same time on the wall clock; the model only copies it into the state.
  public mutating func update(
    _ readings: PressureReadings, now: MonotonicInstant, wallTime: WallInstant
  ) -> PressureState {
    var assessment = Assessment()
    var judged = readings
    judged.zones = zones.update(readings.zones, overrides: overrides, now: now, into: &assessment)
    judged.sensors = sensors.update(readings.sensors, overrides: overrides, now: now, into: &assessment)
    judged.throttleCounters = throttleCounters.update(
      readings.throttleCounters, overrides: overrides, now: now, into: &assessment)
    judged.powerSupplies = powerSupplies.update(
      readings.powerSupplies, overrides: overrides, now: now, into: &assessment)
    judged.supplyAlarms = supplyAlarms.update(readings.supplyAlarms, overrides: overrides, now: now, into: &assessment)
    judged.stalls = stalls.update(readings.stalls, overrides: overrides, now: now, into: &assessment)
    judged.cameras = cameras.update(readings.cameras, overrides: overrides, now: now, into: &assessment)
    addTrends(to: &judged.zones, now: now)
    isWarm = assessment.isWarm
    return PressureState(causes: assessment.causes, readings: judged, readTime: wallTime)
  }

  private mutating func addTrends(to zones: inout [ThermalZone], now: MonotonicInstant) {
    var next: [String: TemperatureTrend] = [:]
    for index in zones.indices {
      var trend = trends[zones[index].name] ?? TemperatureTrend()
      // A reading in doubt neither has a trend nor ends that of the others.
      if zones[index].doubt == nil {
        zones[index].trendMillidegreesPerMinute = trend.update(zones[index].millidegrees, now: now)
      }
      next[zones[index].name] = trend
    }
    trends = next
  }
}
