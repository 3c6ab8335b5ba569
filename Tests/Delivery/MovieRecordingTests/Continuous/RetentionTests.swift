import CaptureCore
import SystemClocks
import SystemFiles
import Testing
import VideoCoding

@testable import MovieRecording

/// Which segments go, and in which order.
struct RetentionTests {
  private static let second: UInt64 = 1_000_000_000

  /// Segments of a second and ten bytes each, one after the other. The last one is being written.
  private let segments = (0..<5).map { (number: UInt64) -> Retention.Segment in
    let isDeletable = number < 4
    return Retention.Segment(
      id: "\(number)", number: number, age: (4 - number) * second, bytes: 10, isDeletable: isDeletable)
  }

  private struct Decision: Equatable {
    var deleted: [String] = []
    var lacksSpace = false
  }

  /// What goes when these segments cannot be deleted.
  private func decision(
    _ retention: Retention, free: UInt64? = nil, missingPlaces: Int = 0, stuck: Set<String> = []
  ) -> Decision {
    // The order in which the segments are given means nothing.
    let space = free.map { DiskSpace(free: $0, total: 2_000) }
    var review = RetentionReview(retention, segments.reversed(), space: space, missingPlaces: missingPlaces)
    var decision = Decision()
    while let segment = review.next() {
      if stuck.contains(segment.id) { continue }
      decision.deleted.append(segment.id)
      review.noteDeleted(segment)
    }
    decision.lacksSpace = review.lacksSpace
    return decision
  }

  @Test func withoutLimitsNothingGoes() {
    #expect(decision(Retention()) == Decision())
    #expect(decision(Retention(), missingPlaces: 1) == Decision())
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
    let retention = Retention(minimumFreeSpace: .bytes(100))
    #expect(decision(retention, free: 100) == Decision())
    #expect(decision(retention, free: 85) == Decision(deleted: ["0", "1"]))
    #expect(decision(retention, free: 60) == Decision(deleted: ["0", "1", "2", "3"]))
    #expect(decision(retention, free: 59) == Decision(deleted: ["0", "1", "2", "3"], lacksSpace: true))
  }

  @Test func aPartOfTheDiskIsLeftFree() {
    let retention = Retention(minimumFreeSpace: .percent(5))
    #expect(decision(retention, free: 100) == Decision())
    #expect(decision(retention, free: 85) == Decision(deleted: ["0", "1"]))
    #expect(decision(retention, free: nil) == Decision())
    #expect(!retention.isUnlimited)
  }

  @Test func aSystemThatTellsNoSpaceCostsNoSegment() {
    #expect(decision(Retention(minimumFreeSpace: .bytes(.max)), free: nil) == Decision())
  }

  /// Any limit lets the oldest segments go before the folder has too many recordings.
  @Test func theOldestGoUntilTheFolderHasPlaces() {
    #expect(decision(Retention(maximumAge: .max), missingPlaces: 0) == Decision())
    #expect(decision(Retention(maximumAge: .max), missingPlaces: 2) == Decision(deleted: ["0", "1"]))
  }

  /// What cannot be deleted frees nothing.
  @Test func newerOnesGoInPlaceOfThoseThatCannot() {
    #expect(decision(Retention(maximumBytes: 35), stuck: ["0"]).deleted == ["1", "2"])
    let retention = Retention(minimumFreeSpace: .bytes(100))
    #expect(decision(retention, free: 90, stuck: ["0"]) == Decision(deleted: ["1"]))
    #expect(decision(retention, free: 90, stuck: ["0", "1", "2", "3"]) == Decision(lacksSpace: true))
  }
}

/// The age of segments by clocks that were wrong.
struct RetentionClockTests {
  private static let second: UInt64 = 1_000_000_000

  /// A segment of ten seconds that began so many seconds after 1970, and so many after its boot.
  private func segment(wall: UInt64, monotonic: UInt64, boot: String?) -> RecordingRecord {
    var record = RecordingRecord(
      id: "a", session: "s", output: "movie", file: "a.mp4", container: .mp4, codec: .h264,
      size: Size(width: 2, height: 2), requestTime: WallInstant(nanoseconds: wall * Self.second))
    record.startTime = record.requestTime
    record.startMonotonic = MonotonicInstant(nanoseconds: monotonic * Self.second)
    record.duration = 10 * Self.second
    record.boot = boot
    return record
  }

  /// The age in seconds, 1,000 s after the boot and 50,000 s after 1970.
  private func age(_ record: RecordingRecord, boot: String = "now") -> UInt64 {
    let clock = RetentionClock(
      wall: WallInstant(nanoseconds: 50_000 * Self.second),
      monotonic: MonotonicInstant(nanoseconds: 1000 * Self.second),
      boot: boot)
    return clock.age(of: record) / Self.second
  }

  @Test(arguments: [10, 49_900, 90_000] as [UInt64])
  func inThisBootTheWallClockMeansNothing(_ wall: UInt64) {
    #expect(age(segment(wall: wall, monotonic: 900, boot: "now")) == 90)
    #expect(age(segment(wall: wall, monotonic: 995, boot: "now")) == 0)
  }

  @Test func aSegmentOfAnEarlierBootIsOlderThanThisBoot() {
    #expect(age(segment(wall: 40_000, monotonic: 900, boot: "before")) == 9990)
    #expect(age(segment(wall: 49_900, monotonic: 900, boot: "before")) == 1000)
    #expect(age(segment(wall: 90_000, monotonic: 900, boot: "before")) == 1000)
  }

  @Test func withoutABootTheWallClockDecides() {
    #expect(age(segment(wall: 49_900, monotonic: 900, boot: nil)) == 90)
    #expect(age(segment(wall: 49_900, monotonic: 900, boot: "now"), boot: "") == 90)
    #expect(age(segment(wall: 90_000, monotonic: 900, boot: nil)) == 0)
  }
}
