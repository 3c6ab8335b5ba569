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
