public import CaptureCore

/// Level and temperatures of the last 24 h, a point for each minute of the wall clock. A value; at most about 2 MiB.
public struct PressureHistory: Sendable {
  static let maximumPoints = 24 * 60
  /// Further temperatures are not recorded.
  static let maximumTemperatures = 32
  static let minute: UInt64 = 60_000_000_000

  /// In the order they were recorded, which is that of their times unless the wall clock was set.
  private var points: [PressureHistoryPoint] = []

  init() {}

  /// Takes what was read, at its own time.
  mutating func record(_ state: PressureState) {
    let time = state.readTimeWallNanoseconds
    let temperatures = Self.temperatures(in: state.readings)
    let fresh = PressureHistoryPoint(
      startWallNanoseconds: time - time % Self.minute, durationNanoseconds: Self.minute, samples: 1,
      worstLevel: state.level, bestLevel: state.level, temperatures: temperatures)
    guard let last = points.last, last.startWallNanoseconds == fresh.startWallNanoseconds else {
      if points.count == Self.maximumPoints { points.removeFirst() }
      points.append(fresh)
      return
    }
    points[points.count - 1].merge(fresh)
  }

  /// The points that touch a range of time.
  ///
  /// - Parameters:
  ///   - range: nanoseconds since the Unix epoch.
  ///   - count: when there are more, equally many neighbours are merged into one, so that no peak is lost.
  func points(in range: Range<UInt64>, atMost count: Int) -> [PressureHistoryPoint] {
    let found = points.filter { $0.startWallNanoseconds < range.upperBound && $0.endWallNanoseconds > range.lowerBound }
    let size = max(1, (found.count + count - 1) / max(1, count))
    return stride(from: 0, to: found.count, by: size).map { start in
      found[(start + 1)..<min(start + size, found.count)].reduce(into: found[start]) { $0.merge($1) }
    }
  }

  private static func temperatures(in readings: PressureReadings) -> [PressureHistoryPoint.Temperature] {
    let zones = readings.zones.lazy.map { ($0.name, $0.millidegrees) }
    let sensors = readings.sensors.lazy.map { ($0.name, $0.millidegrees) }
    let readable = (Array(zones) + Array(sensors)).compactMap { name, millidegrees in
      millidegrees.map { PressureHistoryPoint.Temperature(name: name, millidegrees: $0) }
    }
    return Array(readable.prefix(maximumTemperatures))
  }
}

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
