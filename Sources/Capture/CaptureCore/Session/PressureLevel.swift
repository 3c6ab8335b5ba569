/// How much pressure the machine is under. Grows with the raw value.
public enum PressureLevel: Int, Hashable, Sendable, Comparable, CaseIterable {
  case nominal, fair
  /// High: throttling is advised.
  case serious
  /// Very high: throttling is urgently advised.
  case critical
  /// The kernel is about to switch the machine off.
  case shutdown

  public static func < (a: PressureLevel, b: PressureLevel) -> Bool { a.rawValue < b.rawValue }
}

/// What causes pressure.
public enum PressureFactor: Hashable, Sendable, CaseIterable {
  /// Heat: a thermal zone, a chip's own sensor, a throttled processor.
  case systemTemperature
  /// The supply gives less than is asked for: under-voltage, or an empty battery.
  case peakPower
  /// A camera or its sensor is hot.
  case cameraTemperature
  /// Tasks wait for a processor. Ours, as the two below: other platforms have no such factor.
  case cpuPressure
  /// Tasks wait for memory.
  case memoryPressure
  /// Tasks wait for disks.
  case ioPressure
}

/// One source of pressure and what it alone means.
public struct PressureCause: Hashable, Sendable {
  public var factor: PressureFactor
  /// Above nominal.
  public var level: PressureLevel
  /// The reading's name, for example `thermal_zone0`; `drill` for a simulated level.
  public var source: String

  public init(factor: PressureFactor, level: PressureLevel, source: String) {
    self.factor = factor
    self.level = level
    self.source = source
  }
}
