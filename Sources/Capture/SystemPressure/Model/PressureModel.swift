internal import CaptureCore
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

/// Everything that a machine tells about heat and load, read once. Every list is empty on a machine without such
/// sources.
public struct PressureReadings: Hashable, Sendable {
  /// The kernel's thermal zones, ordered by number.
  public var zones: [ThermalZone] = []
  /// The temperature sensors of chips that are not thermal zones.
  public var sensors: [TemperatureSensor] = []
  /// The devices with which the kernel cools.
  public var coolingDevices: [CoolingDevice] = []
  /// How fast processors may run.
  public var frequencyLimits: [FrequencyLimit] = []
  /// How often processors were throttled; at most one counter.
  public var throttleCounters: [ThrottleCounter] = []
  /// Batteries and chargers.
  public var powerSupplies: [PowerSupply] = []
  /// The warnings of firmware and voltage monitors.
  public var supplyAlarms: [SupplyAlarm] = []
  /// How long tasks wait for processors, memory and disks.
  public var stalls: [ResourceStall] = []
  /// The temperatures of cameras that stream and tell their temperature.
  public var cameras: [CameraTemperature] = []
  /// What could not be read as a whole, as texts for people. A value that is missing from a reading is a fault of that
  /// reading and not listed here.
  public var faults: [String] = []

  /// Makes readings of these sources alone.
  public init(zones: [ThermalZone] = [], stalls: [ResourceStall] = []) {
    self.zones = zones
    self.stalls = stalls
  }

  /// Whether there are neither readings nor faults.
  public var isEmpty: Bool { self == PressureReadings() }
}

/// A reading that can ask for a level.
protocol PressureSource: Hashable, Sendable {
  /// Whether the daemon's own load may cause this pressure, so that taking load off ends the pressure at once and
  /// giving the load back brings it again; see ``RelapseHold``.
  static var mayBeOurLoad: Bool { get }
  /// The name of the source, unique among the sources of its kind.
  var name: String { get }
  /// The level that this source alone gives, with hysteresis.
  var level: PressureLevel { get set }
  /// The reading that stands for a source which has disappeared, while its level still falls: without values, and with
  /// a fault that says so.
  var gone: Self { get }

  /// The claims of this reading; at most one for each factor.
  ///
  /// - Parameters:
  ///   - previous: the reading before this one; nil when there was none.
  ///   - overrides: the thresholds that an operator set.
  func claims(after previous: Self?, overrides: ThresholdOverrides) -> [Claim]
}

extension PressureSource {
  static var mayBeOurLoad: Bool { false }
}

/// The part of the machine that a state is about.
public enum PressureScope: Hashable, Sendable {
  /// The machine without any camera's own temperature.
  case machine
  /// The machine and the camera with this id.
  case device(String)
  /// The machine and all cameras.
  case everything
}
