public import CaptureCore

/// What was read in some time.
public struct PressureHistoryPoint: Hashable, Sendable {
  /// The temperature of a zone or sensor, thousandths of a degree Celsius.
  public struct Temperature: Hashable, Sendable {
    /// The zone or sensor, for example `thermal_zone0`.
    public var name: String
    public private(set) var minimum: Int
    public private(set) var maximum: Int
    private var sum: Int
    private var samples = 1

    /// Of every reading, not of the time between them.
    public var mean: Int { sum / samples }

    init(name: String, millidegrees: Int) {
      self.name = name
      minimum = millidegrees
      maximum = millidegrees
      sum = millidegrees
    }

    mutating func merge(_ other: Temperature) {
      minimum = min(minimum, other.minimum)
      maximum = max(maximum, other.maximum)
      sum += other.sum
      samples += other.samples
    }
  }

  /// Nanoseconds since the Unix epoch.
  public private(set) var startWallNanoseconds: UInt64
  public private(set) var durationNanoseconds: UInt64
  /// How many readings there were.
  public private(set) var samples: Int
  public private(set) var worstLevel: PressureLevel
  public private(set) var bestLevel: PressureLevel
  /// Each that was read at least once.
  public private(set) var temperatures: [Temperature]

  init(
    startWallNanoseconds: UInt64, durationNanoseconds: UInt64, samples: Int, worstLevel: PressureLevel,
    bestLevel: PressureLevel, temperatures: [Temperature]
  ) {
    self.startWallNanoseconds = startWallNanoseconds
    self.durationNanoseconds = durationNanoseconds
    self.samples = samples
    self.worstLevel = worstLevel
    self.bestLevel = bestLevel
    self.temperatures = temperatures
  }

  var endWallNanoseconds: UInt64 { startWallNanoseconds + durationNanoseconds }

  /// Takes in another; the result spans both.
  mutating func merge(_ other: PressureHistoryPoint) {
    let end = max(endWallNanoseconds, other.endWallNanoseconds)
    startWallNanoseconds = min(startWallNanoseconds, other.startWallNanoseconds)
    durationNanoseconds = end - startWallNanoseconds
    samples += other.samples
    worstLevel = max(worstLevel, other.worstLevel)
    bestLevel = min(bestLevel, other.bestLevel)
    for temperature in other.temperatures {
      if let index = temperatures.firstIndex(where: { $0.name == temperature.name }) {
        temperatures[index].merge(temperature)
      } else if temperatures.count < PressureHistory.maximumTemperatures {
        temperatures.append(temperature)
      }
    }
  }
}
