/// The level of pressure on the machine or a camera. Higher levels have greater raw values.
public enum PressureLevel: Int, Hashable, Sendable, Comparable, CaseIterable {
  case nominal, fair
  /// High pressure: the session should reduce its load.
  case serious
  /// Very high pressure: the session should reduce its load urgently.
  case critical
  /// The kernel is about to switch the machine off.
  case shutdown

  /// Whether `a` is the lower pressure.
  public static func < (a: PressureLevel, b: PressureLevel) -> Bool { a.rawValue < b.rawValue }
}

/// One cause of pressure, and the level that this cause alone puts the machine or the camera at.
public struct PressureCause: Hashable, Sendable {
  /// The kind of the cause.
  public var factor: PressureFactor
  /// The level that this cause alone leads to; always above nominal.
  public var level: PressureLevel
  /// The name of the reading, for example `thermal_zone0`; `drill` for a simulated level.
  public var source: String

  /// Creates a cause.
  ///
  /// - Parameters:
  ///   - level: above nominal.
  ///   - source: the name of the reading; `drill` for a simulated level.
  public init(factor: PressureFactor, level: PressureLevel, source: String) {
    self.factor = factor
    self.level = level
    self.source = source
  }
}

/// The kinds of causes of pressure.
public enum PressureFactor: Hashable, Sendable, CaseIterable {
  /// Heat, as a thermal zone, a chip's own sensor or a throttled processor reports it.
  case systemTemperature
  /// The power supply gives less than the machine needs: the voltage is too low, or the battery is empty.
  case peakPower
  /// The camera or its sensor is hot.
  case cameraTemperature
  /// Tasks wait for a processor. Only Firstlight has this factor and the next two; other platforms have no such
  /// factors.
  case cpuPressure
  /// Tasks wait for memory.
  case memoryPressure
  /// Tasks wait for disks.
  case ioPressure
}
