import CaptureCore
import CaptureTestKit
import SystemPressure
import Testing

/// The thresholds of the levels, which follow from the trips of a thermal zone.
struct LevelThresholdsTests {
  /// The trips of one zone, and the thresholds that must follow from them.
  struct Row: Sendable, CustomTestStringConvertible {
    var name: String
    var trips: [TripPoint]
    /// The thresholds in degrees Celsius; nil when no temperature reaches the level.
    var fair: Double, serious: Double, critical: Double?, shutdown: Double?
    var testDescription: String { name }
  }

  private static func trip(_ kind: TripPoint.Kind, _ degrees: Int) -> TripPoint {
    TripPoint(kind, millidegrees: degrees * 1000)
  }

  static let rows = [
    Row(
      name: "passive, hot, critical", trips: [trip(.passive, 85), trip(.hot, 100), trip(.critical, 120)],
      fair: 80, serious: 85, critical: 100, shutdown: 115),
    Row(
      name: "no hot: midway", trips: [trip(.passive, 80), trip(.critical, 100)],
      fair: 75, serious: 80, critical: 90, shutdown: 95),
    Row(
      name: "the lowest of passive and active",
      trips: [trip(.critical, 100), trip(.passive, 80), trip(.active, 70), trip(.active, 60)],
      fair: 55, serious: 60, critical: 80, shutdown: 95),
    Row(name: "only critical", trips: [trip(.critical, 110)], fair: 85, serious: 90, critical: 100, shutdown: 105),
    Row(
      name: "hot and critical", trips: [trip(.critical, 105), trip(.hot, 98)],
      fair: 80, serious: 85, critical: 98, shutdown: 100),
    Row(name: "only hot", trips: [trip(.hot, 95)], fair: 80, serious: 85, critical: 95, shutdown: nil),
    Row(name: "only passive", trips: [trip(.passive, 70)], fair: 65, serious: 70, critical: nil, shutdown: nil),
    Row(
      name: "switched-off trips", trips: [trip(.passive, 0), trip(.hot, -274), trip(.critical, 110)],
      fair: 85, serious: 90, critical: 100, shutdown: 105),
    Row(
      name: "hot below passive", trips: [trip(.passive, 95), trip(.hot, 92), trip(.critical, 110)],
      fair: 90, serious: 92, critical: 92, shutdown: 105),
    Row(
      name: "hot above critical", trips: [trip(.passive, 80), trip(.hot, 130), trip(.critical, 110)],
      fair: 75, serious: 80, critical: 105, shutdown: 105),
    Row(
      name: "passive above critical", trips: [trip(.passive, 120), trip(.critical, 100)],
      fair: 95, serious: 95, critical: 95, shutdown: 95),
    Row(
      name: "the lowest of several",
      trips: [trip(.critical, 120), trip(.critical, 100), trip(.hot, 99), trip(.hot, 90)],
      fair: 75, serious: 80, critical: 90, shutdown: 95),
  ]

  /// The rows name the combinations of trips that machines have, and some that contradict each other.
  @Test(arguments: rows)
  func thresholdsFollowFromTheTrips(_ row: Row) throws {
    let thresholds = try #require(LevelThresholds(trips: row.trips))
    #expect(thresholds.fair == Int(row.fair * 1000))
    #expect(thresholds.serious == Int(row.serious * 1000))
    #expect(thresholds.critical == row.critical.map { Int($0 * 1000) })
    #expect(thresholds.shutdown == row.shutdown.map { Int($0 * 1000) })
  }

  /// A trip at 0 °C or below is switched off. A zone without any other trip has no thresholds and therefore gives no
  /// level.
  @Test(arguments: [[], [trip(.passive, 0)], [trip(.critical, -274), trip(.hot, -1), trip(.active, 0)]])
  func withoutAUsableTripThereAreNoThresholds(_ trips: [TripPoint]) {
    #expect(LevelThresholds(trips: trips) == nil)
  }

  @Test func levelsBeginExactlyAtTheirThresholds() throws {
    let thresholds = try #require(LevelThresholds(trips: Self.rows[0].trips))
    let begins: [(Int, PressureLevel)] = [
      (80_000, .fair), (85_000, .serious), (100_000, .critical), (115_000, .shutdown),
    ]
    var below = PressureLevel.nominal
    for (temperature, level) in begins {
      #expect(thresholds.level(at: temperature - 1) == below)
      #expect(thresholds.level(at: temperature) == level)
      below = level
    }
  }

  /// For random trips of any kind and number, no level begins above a worse level, and a warmer reading never gives a
  /// better level.
  @Test func levelsAreMonotoneForAnyTrips() {
    var random = SeededGenerator(seed: 1)
    for round in 0..<10_000 {
      let kinds: [TripPoint.Kind] = [.active, .passive, .hot, .critical]
      let trips = (0..<Int.random(in: 0...6, using: &random)).map { _ in
        TripPoint(kinds.randomElement(using: &random)!, millidegrees: Int.random(in: -50_000...200_000, using: &random))
      }
      guard let thresholds = LevelThresholds(trips: trips) else { continue }
      let present =
        [thresholds.fair, thresholds.serious] + [thresholds.critical, thresholds.shutdown].compactMap { $0 }
      #expect(present == present.sorted(), "round \(round): \(trips)")
      let levels = stride(from: -60_000, through: 210_000, by: 7_919).map(thresholds.level(at:))
      #expect(levels == levels.sorted(), "round \(round): \(trips)")
    }
  }
}
