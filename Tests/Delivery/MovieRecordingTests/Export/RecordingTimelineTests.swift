import CaptureCore
import SystemClocks
import Testing
import VideoCoding

@testable import MovieRecording

/// Where recordings lie on a time line. A recording has ten frames and lasts a second.
struct RecordingTimelineTests {
  private static let second: UInt64 = 1_000_000_000

  private func record(at start: UInt64, duration: UInt64 = second) -> RecordingRecord {
    var record = RecordingRecord(
      id: "a", session: "s1", output: "movie", file: "a.mp4", container: .mp4, codec: .h264,
      size: Size(width: 64, height: 32), requestTime: WallInstant(nanoseconds: 1))
    record.startTime = WallInstant(nanoseconds: start)
    record.startMonotonic = MonotonicInstant(nanoseconds: start)
    record.duration = duration
    record.tally.frames = 10
    return record
  }

  private func positions(_ records: [RecordingRecord]) -> [Int64] {
    var timeline = RecordingTimeline()
    return records.map { timeline.place($0) }
  }

  /// A camera that is faster than its nominal rate: each segment begins 1 ms before the estimated end of the one before.
  @Test func estimatesOfTheLastFrameDoNotAddUp() {
    let period = 999_000_000
    let starts = (0..<1000).map { UInt64(5_000_000_000 + $0 * period) }
    #expect(positions(starts.map { record(at: $0) }) == (0..<1000).map { Int64($0 * period) })
  }

  @Test func aRecordingNeverBeginsBeforeTheLastFrameOfTheOneBefore() {
    #expect(positions([record(at: 10 * Self.second), record(at: 10 * Self.second + 5)]) == [0, 900_000_000])
  }

  /// The wall clock was set back, so the first two recordings overlap by ten seconds. The third one is not moved.
  @Test func anOverlapDoesNotMoveLaterRecordings() {
    let records = [
      record(at: 100 * Self.second, duration: 20 * Self.second), record(at: 110 * Self.second),
      record(at: 200 * Self.second),
    ]
    #expect(positions(records) == [0, 18_000_000_000, 100_000_000_000])
  }
}
