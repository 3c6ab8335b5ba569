import SystemClocks
import Testing

@testable import MovieRecording

/// Which segments go, and in which order.
struct RetentionTests {
  private static let now = WallInstant(nanoseconds: 1_000_000_000_000)
  private static let second: UInt64 = 1_000_000_000

  /// Segments of a second and ten bytes each, one after the other. The last one is being written.
  private let segments = (0..<5).map { (number: UInt64) -> Retention.Segment in
    let start = WallInstant(nanoseconds: now.nanoseconds - (5 - number) * second)
    let isDeletable = number < 4
    return Retention.Segment(
      id: "\(number)", start: start, duration: isDeletable ? second : 0, bytes: 10, isDeletable: isDeletable)
  }

  private func decision(_ retention: Retention, free: UInt64? = nil) -> Retention.Decision {
    // The order of the segments means nothing.
    retention.decision(on: segments.reversed(), now: Self.now, freeSpace: free)
  }

  @Test func withoutLimitsNothingGoes() {
    #expect(decision(Retention()) == Retention.Decision())
    #expect(Retention().isUnlimited)
  }

  @Test(arguments: [(50, []), (49, ["0"]), (30, ["0", "1"]), (0, ["0", "1", "2", "3"])] as [(UInt64, [String])])
  func theOldestGoUntilTheBytesFit(_ bytes: UInt64, _ deleted: [String]) {
    #expect(decision(Retention(maximumBytes: bytes)).deleted == deleted)
  }

  /// The age counts from the end of a segment.
  @Test(arguments: [(4.0, []), (3.9, ["0"]), (1.5, ["0", "1", "2"]), (0.0, ["0", "1", "2", "3"])])
  func segmentsThatAreTooOldGo(_ age: Double, _ deleted: [String]) {
    #expect(decision(Retention(maximumAge: UInt64(age * 1e9))).deleted == deleted)
  }

  @Test func theOldestGoUntilThereIsSpace() {
    let retention = Retention(minimumFreeSpace: 100)
    #expect(decision(retention, free: 100) == Retention.Decision())
    #expect(decision(retention, free: 85) == Retention.Decision(deleted: ["0", "1"]))
    #expect(decision(retention, free: 60) == Retention.Decision(deleted: ["0", "1", "2", "3"]))
    #expect(decision(retention, free: 59) == Retention.Decision(deleted: ["0", "1", "2", "3"], lacksSpace: true))
  }

  @Test func aSystemThatTellsNoSpaceCostsNoSegment() {
    #expect(decision(Retention(minimumFreeSpace: .max), free: nil) == Retention.Decision())
  }

  /// A clock that was wrong put the segments into the future.
  @Test func segmentsOfTheFutureAreNotOld() {
    let decision = Retention(maximumAge: 1).decision(
      on: segments, now: WallInstant(nanoseconds: 1), freeSpace: nil)
    #expect(decision == Retention.Decision())
  }
}
