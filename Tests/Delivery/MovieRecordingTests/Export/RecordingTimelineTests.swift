import CaptureCore
import SystemClocks
import Testing
import VideoCoding

@testable import MovieRecording

/// Where recordings lie on a time line. A recording has ten frames and lasts a second.
struct RecordingTimelineTests {
  private static let second: UInt64 = 1_000_000_000

  /// - Parameter monotonic: the start on the monotonic clock; nil is the same number.
  private func record(at start: UInt64, monotonic: UInt64? = nil, duration: UInt64 = second) -> RecordingRecord {
    var record = RecordingRecord(
      id: "a", session: "s1", output: "movie", file: "a.mp4", container: .mp4, codec: .h264,
      size: Size(width: 64, height: 32), requestTime: WallInstant(nanoseconds: 1))
    record.startTime = WallInstant(nanoseconds: start)
    record.startMonotonic = MonotonicInstant(nanoseconds: monotonic ?? start)
    record.duration = duration
    record.tally.frames = 10
    return record
  }

  private func positions(_ records: [RecordingRecord]) -> [Int64] {
    var timeline = RecordingTimeline()
    return records.map { timeline.place($0) }
  }

  /// A camera that is faster than its nominal rate: each segment begins 1 ms before the estimated end of the one
  /// before.
  @Test func estimatesOfTheLastFrameDoNotAddUp() {
    let period = 999_000_000
    let starts = (0..<1000).map { UInt64(5_000_000_000 + $0 * period) }
    #expect(positions(starts.map { record(at: $0) }) == (0..<1000).map { Int64($0 * period) })
  }

  @Test func aPreRollReachesIntoTheRecordingBefore() {
    #expect(positions([record(at: 10 * Self.second), record(at: 10 * Self.second + 5)]) == [0, 5])
  }

  /// Between two boots somebody set the wall clock back by ten seconds. The recordings of the third boot are not moved.
  @Test func aClockThatWasSetBackDoesNotMoveLaterRecordings() {
    let records = [
      record(at: 100 * Self.second, monotonic: 900 * Self.second, duration: 20 * Self.second),
      record(at: 110 * Self.second, monotonic: 5 * Self.second),
      record(at: 112 * Self.second, monotonic: 7 * Self.second),
      record(at: 200 * Self.second, monotonic: 1 * Self.second),
    ]
    #expect(positions(records) == [0, 18_000_000_000, 20_000_000_000, 100_000_000_000])
  }
}
