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
