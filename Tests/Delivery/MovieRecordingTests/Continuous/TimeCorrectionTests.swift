import CaptureCore
import Foundation
import SystemClocks
import Testing
import VideoCoding

@testable import MovieRecording

/// The times of segments that were recorded before somebody set the clock of a machine without a battery.
@Suite struct TimeCorrectionTests {
  private static let second: UInt64 = 1_000_000_000
  /// A day of 2026.
  private static let today = RetentionClock.earliest + 300 * 86_400 * second

  /// A segment that began a minute after the start of its boot, when the wall clock showed `start`. The client asked
  /// for it half a second earlier.
  private static func segment(
    _ start: WallInstant, boot: String? = "now", id: String = "1", monotonic: UInt64 = 60 * second
  ) -> RecordingRecord {
    var record = RecordingRecord(
      id: id, session: "s1", output: "movie", file: "s1/\(id).mp4", container: .mp4, codec: .h264,
      size: Size(width: 256, height: 96), requestTime: WallInstant(nanoseconds: start.nanoseconds - second / 2))
    record.startTime = start
    record.startMonotonic = MonotonicInstant(nanoseconds: monotonic)
    record.boot = boot
    record.isSegment = true
    record.state = .finished
    return record
  }

  private static let plan = SegmentPlan(
    session: "s1", output: "movie", settings: RecordingSettings(), duration: 1, retention: Retention(),
    size: Size(width: 256, height: 96))

  private static func correction(boot: String = "now", wall: WallInstant = today) -> TimeCorrection {
    TimeCorrection(boot: boot, wall: wall, monotonic: MonotonicInstant(nanoseconds: 1000 * second))
  }

  private let minute = WallInstant(nanoseconds: 60 * second)

  @Test("field B3: a segment of 1970 gets its true times when the clock of its boot is right")
  func aSegmentGetsItsTrueTimes() throws {
    let corrected = try #require(Self.correction().corrected(Self.segment(minute)))
    #expect(corrected.startTime == WallInstant(nanoseconds: Self.today.nanoseconds - 940 * Self.second))
    #expect(corrected.startTime!.nanoseconds(since: corrected.requestTime) == Self.second / 2)
    #expect(corrected.file == "s1/1.mp4", "the name stays")
    #expect(Self.correction().corrected(corrected) == nil, "it is corrected once")
  }

  @Test func otherTimesStay() {
    #expect(Self.correction().corrected(Self.segment(Self.today)) == nil, "the clock was right")
    #expect(Self.correction(wall: minute).corrected(Self.segment(minute)) == nil, "the clock is still wrong")
    #expect(Self.correction().corrected(Self.segment(minute, boot: "before")) == nil)
    #expect(Self.correction().corrected(Self.segment(minute, boot: nil)) == nil)
    #expect(Self.correction(boot: "").corrected(Self.segment(minute, boot: "")) == nil)
  }

  /// The list has the true times at once. The storage has them before the next segment, and the log says so once.
  @Test func theFolderTellsTrueTimes() async throws {
    let folder = StoreFolder()
    let stamp = MonotonicInstant.now()
    try folder.write("s1/1.mp4", Data(count: 10))
    var record = Self.segment(minute, monotonic: stamp.nanoseconds)
    record.tally.fileSize = 10
    record.end = .nextSegment
    try folder.write(record)
    let store = try folder.open(boot: "now")
    let listed = try #require(try await store.records().first)
    #expect(listed.startTime! >= RetentionClock.earliest)
    let year = RetentionClock.earliest..<WallInstant(nanoseconds: .max)
    #expect(try await store.records(during: year).map(\.id) == ["1"])
    #expect(try await store.record("1").startTime! >= RetentionClock.earliest)
    #expect(try folder.record("1").startTime == minute)
    for _ in 0..<2 {
      _ = try await store.thread.perform { () throws(CaptureError) in
        try! store.segments.reserve(Self.plan, startingAt: .now())
      }
    }
    // The store's thread has corrected the record when it answers the next call.
    _ = try await store.records()
    #expect(try folder.record("1").startTime! >= RetentionClock.earliest)
    #expect(folder.log.all.count { $0.contains("The wall clock has been set") } == 1)
    await store.close()
  }

  /// The writer of a segment that goes on while the clock is set knows only the wrong time.
  @Test func aSegmentThatEndsAfterwardsHasItsTrueTimes() async throws {
    let folder = StoreFolder()
    let store = try folder.open(boot: "now")
    var record = try await store.thread.perform { () throws(CaptureError) in
      try! store.segments.reserve(Self.plan, startingAt: .now())
    }
    (record.startTime, record.requestTime) = (minute, minute)
    store.update(record)
    #expect(store.allRecords.allSatisfy { $0.startTime! >= RetentionClock.earliest })
    try Data(count: 10).write(to: URL(fileURLWithPath: store.path(of: record)))
    record.tally.fileSize = 10
    record.end = .nextSegment
    store.segments.segmentEnded(record, Retention())
    let finished = try #require(try await store.records().first)
    #expect(finished.state == .finished)
    #expect(try folder.record(record.id).startTime == finished.startTime)
    #expect(finished.startTime! >= RetentionClock.earliest)
    await store.close()
  }
}
