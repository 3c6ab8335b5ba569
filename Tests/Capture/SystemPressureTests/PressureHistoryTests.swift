import CaptureCore
import CaptureTestKit
import SystemClocks
import Testing

@testable import SystemPressure

/// The history of the level and of the temperatures, with one point for each minute of the wall clock.
struct PressureHistoryTests {
  private static let minute: UInt64 = 60_000_000_000
  private let all = WallInstant.epoch ..< .distantFuture

  /// A state at `second` of the wall clock, with one zone for each temperature. Temperatures are in thousandths of a
  /// degree Celsius; nil stands for a zone that could not be read.
  private func state(
    _ second: UInt64, _ temperatures: [Int?], level: PressureLevel = .nominal
  ) -> PressureState {
    let zones = temperatures.enumerated().map {
      ThermalZone(name: "thermal_zone\($0.offset)", type: "test", millidegrees: $0.element)
    }
    return PressureState(
      causes: level == .nominal ? [] : [PressureCause(factor: .systemTemperature, level: level, source: "test")],
      readings: PressureReadings(zones: zones), readTime: .epoch + second * 1_000_000_000)
  }

  /// All readings of a minute go into one point, with their number, the best and the worst level, and the minimum, mean
  /// and maximum of each temperature.
  @Test func theReadingsOfAMinuteAreOnePoint() throws {
    var history = PressureHistory()
    history.record(state(60, [40_000]))
    history.record(state(90, [50_000], level: .serious))
    history.record(state(119, [45_000, 20_000]))
    history.record(state(120, [44_000]))
    let points = history.points(in: all, atMost: 1440)
    let minutes: [WallInstant] = [.epoch + Self.minute, .epoch + 2 * Self.minute]
    #expect(points.map(\.start) == minutes)
    let first = try #require(points.first)
    #expect(first.durationNanoseconds == Self.minute)
    #expect(first.samples == 3)
    #expect((first.bestLevel, first.worstLevel) == (.nominal, .serious))
    #expect(first.temperatures.map(\.name) == ["thermal_zone0", "thermal_zone1"])
    #expect(first.temperatures.map(\.minimum) == [40_000, 20_000])
    #expect(first.temperatures.map(\.mean) == [45_000, 20_000])
    #expect(first.temperatures.map(\.maximum) == [50_000, 20_000])
  }

  /// The history has 1,440 points, one for each minute of a day. Older points are dropped.
  @Test func onlyTheLastDayIsKept() {
    var history = PressureHistory()
    for minute in 0..<2000 { history.record(state(UInt64(minute) * 60, [minute])) }
    let points = history.points(in: all, atMost: 1440)
    #expect(points.count == 1440)
    #expect(points.first?.temperatures.first?.mean == 560)
    #expect(points.last?.temperatures.first?.mean == 1999)
  }

  @Test func aRangeReturnsEveryMinuteItTouches() {
    var history = PressureHistory()
    for minute: UInt64 in 0..<10 { history.record(state(minute * 60, [])) }
    func starts(_ range: Range<UInt64>) -> [UInt64] {
      let times = WallInstant(nanoseconds: range.lowerBound)..<WallInstant(nanoseconds: range.upperBound)
      return history.points(in: times, atMost: 1440).map { $0.start.nanoseconds / Self.minute }
    }
    #expect(starts(3 * Self.minute..<5 * Self.minute) == [3, 4])
    #expect(starts(3 * Self.minute + 1..<5 * Self.minute + 1) == [3, 4, 5])
    #expect(starts(20 * Self.minute..<30 * Self.minute).isEmpty)
  }

  /// When a client asks for fewer points than there are minutes, the history merges neighbours. The worst level, the
  /// highest temperature, the number of readings and the span of time survive.
  @Test(arguments: [1, 2, 3, 7, 99, 100, 1440])
  func mergedPointsLoseNoPeak(_ count: Int) {
    var history = PressureHistory()
    for minute in 0..<100 {
      let isPeak = minute == 61
      history.record(
        state(UInt64(minute) * 60, [isPeak ? 99_000 : 40_000], level: isPeak ? .critical : .fair))
    }
    let points = history.points(in: all, atMost: count)
    #expect(2 * points.count >= min(count, 100) && points.count <= count)
    #expect(points.map(\.samples).reduce(0, +) == 100)
    #expect(points.map(\.worstLevel).max() == .critical)
    #expect(points.compactMap { $0.temperatures.first?.maximum }.max() == 99_000)
    #expect(points.first?.start == 0)
    #expect(points.last?.end == .epoch + 100 * Self.minute)
  }

  /// A zone that could be read at least once in a minute is in the point of that minute.
  @Test func aZoneThatWasReadOnceInAMinuteIsRecorded() {
    var history = PressureHistory()
    history.record(state(0, [nil, 30_000]))
    history.record(state(1, [41_000, nil]))
    #expect(Set(history.points(in: all, atMost: 1)[0].temperatures.map(\.name)) == ["thermal_zone0", "thermal_zone1"])
  }

  /// A point has room for 32 temperatures. Zones that cannot be read take no room from the others.
  @Test func unreadableZonesTakeNoRoomInAPoint() {
    var history = PressureHistory()
    history.record(state(0, [Int?](repeating: nil, count: 40) + [41_000]))
    #expect(history.points(in: all, atMost: 1)[0].temperatures.map(\.name) == ["thermal_zone40"])
  }

  /// After the wall clock was set back, readings begin a new point, even when the history has a point for the same
  /// minute.
  @Test func aClockThatIsSetBackBeginsANewPoint() {
    var history = PressureHistory()
    for second: UInt64 in [600, 0, 1, 600] { history.record(state(second, [])) }
    #expect(history.points(in: all, atMost: 1440).map(\.samples) == [1, 2, 1])
  }

  /// The bound keeps the memory of the history small on machines with hundreds of sensors.
  @Test func aPointHasAtMost32Temperatures() {
    var history = PressureHistory()
    history.record(state(0, [Int?](repeating: 1, count: 300)))
    #expect(history.points(in: all, atMost: 1)[0].temperatures.count == 32)
  }
}
