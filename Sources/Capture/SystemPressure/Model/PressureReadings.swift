internal import CaptureCore

/// All that a machine tells about heat and load, read once. Every list is empty on a machine that has no such thing.
public struct PressureReadings: Hashable, Sendable {
  /// The kernel's thermal zones, by their numbers.
  public var zones: [ThermalZone] = []
  /// Sensors of chips that are no thermal zones.
  public var sensors: [TemperatureSensor] = []
  /// What the kernel cools with.
  public var coolingDevices: [CoolingDevice] = []
  /// How fast processors may run.
  public var frequencyLimits: [FrequencyLimit] = []
  /// How often processors were throttled; at most one.
  public var throttleCounters: [ThrottleCounter] = []
  /// Batteries and chargers.
  public var powerSupplies: [PowerSupply] = []
  /// What firmware and voltage monitors warn of.
  public var supplyAlarms: [SupplyAlarm] = []
  /// How long tasks wait for processors, memory and disks.
  public var stalls: [ResourceStall] = []
  /// Cameras that stream and tell their temperature.
  public var cameras: [CameraTemperature] = []
  /// What could not be read as a whole, for people. What a reading lacks is its own fault.
  public var faults: [String] = []

  public init(zones: [ThermalZone] = [], stalls: [ResourceStall] = []) {
    self.zones = zones
    self.stalls = stalls
  }

  /// Whether nothing was found at all.
  public var isEmpty: Bool { self == PressureReadings() }
}
