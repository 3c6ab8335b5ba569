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
