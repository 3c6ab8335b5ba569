internal import CaptureCore
internal import SystemClocks

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
