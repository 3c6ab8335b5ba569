public import CaptureCore
public import SystemClocks

/// The level and the temperatures of the last 24 h, with one point for each minute of the wall clock. A value, of at
/// most about 2 MiB.
public struct PressureHistory: Sendable {
  static let maximumPoints = 24 * 60
  /// The most temperatures in one point. The history does not record further temperatures.
  static let maximumTemperatures = 32
  static let minute: UInt64 = 60_000_000_000

  /// The points in the order in which they were recorded. The order is also that of their times, unless the wall clock
  /// was set.
  private var points: [PressureHistoryPoint] = []

  init() {}

  /// Records a state at the time of its readings.
  mutating func record(_ state: PressureState) {
    let time = state.readTime
    let temperatures = Self.temperatures(in: state.readings)
    let fresh = PressureHistoryPoint(
      start: time - time.nanoseconds % Self.minute, durationNanoseconds: Self.minute, samples: 1,
      worstLevel: state.level, bestLevel: state.level, temperatures: temperatures)
    guard let last = points.last, last.start == fresh.start else {
      if points.count == Self.maximumPoints { points.removeFirst() }
      points.append(fresh)
      return
    }
    points[points.count - 1].merge(fresh)
  }

  /// The points that touch a range of time.
  ///
  /// - Parameter count: the most points to return. When there are more, each group of neighbours is merged into one
  ///   point, so that no peak is lost. All groups are equally large, except that the last one may be smaller.
  func points(in range: Range<WallInstant>, atMost count: Int) -> [PressureHistoryPoint] {
    let found = points.filter { $0.start < range.upperBound && $0.end > range.lowerBound }
    let size = max(1, (found.count + count - 1) / max(1, count))
    return stride(from: 0, to: found.count, by: size).map { start in
      found[(start + 1)..<min(start + size, found.count)].reduce(into: found[start]) { $0.merge($1) }
    }
  }

  private static func temperatures(in readings: PressureReadings) -> [PressureHistoryPoint.Temperature] {
    let zones = readings.zones.lazy.map { ($0.name, $0.believedMillidegrees) }
    let sensors = readings.sensors.lazy.map { ($0.name, $0.believedMillidegrees) }
    let readable = (Array(zones) + Array(sensors)).compactMap { name, millidegrees in
      millidegrees.map { PressureHistoryPoint.Temperature(name: name, millidegrees: $0) }
    }
    return Array(readable.prefix(maximumTemperatures))
  }
}

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
