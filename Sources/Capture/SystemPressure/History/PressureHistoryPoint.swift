public import CaptureCore
public import SystemClocks

/// A summary of all readings in one span of time.
public struct PressureHistoryPoint: Hashable, Sendable {
  /// The temperatures of a zone or sensor, in thousandths of a degree Celsius.
  public struct Temperature: Hashable, Sendable {
    /// The name of the zone or sensor, for example `thermal_zone0`.
    public var name: String
    /// The lowest reading, in thousandths of a degree Celsius.
    public private(set) var minimum: Int
    /// The highest reading, in thousandths of a degree Celsius.
    public private(set) var maximum: Int
    private var sum: Int
    private var samples = 1

    /// The mean of all readings, in thousandths of a degree Celsius. The time between the readings does not count.
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

  /// The beginning of the span.
  public private(set) var start: WallInstant
  /// The length of the span, in nanoseconds.
  public private(set) var durationNanoseconds: UInt64
  /// The number of readings.
  public private(set) var samples: Int
  /// The highest level among the readings.
  public private(set) var worstLevel: PressureLevel
  /// The lowest level among the readings.
  public private(set) var bestLevel: PressureLevel
  /// The temperatures of each zone and sensor that was read at least once; at most 32.
  public private(set) var temperatures: [Temperature]

  init(
    start: WallInstant, durationNanoseconds: UInt64, samples: Int, worstLevel: PressureLevel, bestLevel: PressureLevel,
    temperatures: [Temperature]
  ) {
    self.start = start
    self.durationNanoseconds = durationNanoseconds
    self.samples = samples
    self.worstLevel = worstLevel
    self.bestLevel = bestLevel
    self.temperatures = temperatures
  }

  /// The end of the span.
  var end: WallInstant { start + durationNanoseconds }

  /// Merges another point into this one. The result spans the time of both.
  mutating func merge(_ other: PressureHistoryPoint) {
    let end = max(end, other.end)
    start = min(start, other.start)
    durationNanoseconds = end.nanoseconds(since: start)
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
