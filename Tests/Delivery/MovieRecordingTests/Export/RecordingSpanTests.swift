import CaptureCore
import SystemClocks
import Testing
import VideoCoding

@testable import MovieRecording

/// Runs of recordings without a gap. A recording has ten frames and lasts a second.
struct RecordingSpanTests {
  private static let second: UInt64 = 1_000_000_000

  /// - Parameters:
  ///   - start: the time of the first frame, in milliseconds.
  ///   - monotonic: the same on the monotonic clock; nil is the same number.
  private func record(
    _ id: String, at start: UInt64, monotonic: UInt64? = nil, session: String = "s1",
    container: MovieContainer = .mp4, codec: MovieCodec = .h264, size: Size = Size(width: 64, height: 32)
  ) -> RecordingRecord {
    var record = RecordingRecord(
      id: id, session: session, output: "movie", file: "\(id).\(container.fileExtension)", container: container,
      codec: codec, size: size, requestTime: WallInstant(nanoseconds: 1))
    record.startTime = WallInstant(nanoseconds: start * 1_000_000)
    record.startMonotonic = MonotonicInstant(nanoseconds: (monotonic ?? start) * 1_000_000)
    record.duration = Self.second
    record.tally.frames = 10
    record.tally.fileSize = 1
    return record
  }

  private func names(_ records: [RecordingRecord]) -> [[String]] {
    RecordingSpan.spans(of: records).map(\.recordings)
  }

  @Test func recordingsThatFollowOneAnotherAreASpan() {
    let spans = RecordingSpan.spans(of: [record("c", at: 3000), record("b", at: 2000), record("a", at: 1000)])
    #expect(spans.map(\.recordings) == [["a", "b", "c"]])
    #expect(spans[0].startTime.nanoseconds == Self.second)
    #expect(spans[0].duration == 3 * Self.second)
    #expect(spans[0].endTime.nanoseconds == 4 * Self.second)
  }

  @Test func aSpanCountsWhatItsRecordingsLack() {
    var (first, second, other) = (record("a", at: 1000), record("b", at: 2000), record("c", at: 5000))
    first.tally.dropped = DropCounts(late: 1, outOfBuffers: 2, discontinuity: 3, damaged: 4)
    second.tally.dropped = DropCounts(late: 10, damaged: 20)
    other.tally.dropped = DropCounts(discontinuity: 7)
    let spans = RecordingSpan.spans(of: [other, second, first, record("d", at: 9000)])
    #expect(spans.map(\.recordings) == [["a", "b"], ["c"], ["d"]])
    #expect(
      spans.map(\.dropped) == [
        DropCounts(late: 11, outOfBuffers: 2, discontinuity: 3, damaged: 24), DropCounts(discontinuity: 7),
        DropCounts(),
      ])
  }

  /// Its movie is shorter than the time from its first frame to its last one, so the next recording begins later.
  @Test func aPausedRecordingCountsWithTheDurationOfItsMovie() {
    // It ran from 1 s to 4 s, with a pause of 2 s.
    let spans = RecordingSpan.spans(of: [record("paused", at: 1000), record("next", at: 4000)])
    #expect(spans.map(\.recordings) == [["paused"], ["next"]])
    #expect(spans[0].endTime.nanoseconds == 2 * Self.second)
  }

  @Test func halfAFrameIsNoGap() {
    #expect(names([record("a", at: 1000), record("b", at: 2050)]) == [["a", "b"]])
    #expect(names([record("a", at: 1000), record("b", at: 2051)]) == [["a"], ["b"]])
  }

  @Test func theMonotonicClockCounts() {
    // The wall clock was corrected by 0.3 s meanwhile.
    #expect(names([record("a", at: 1000), record("b", at: 2300, monotonic: 2000)]) == [["a", "b"]])
    // The machine has started anew.
    #expect(names([record("a", at: 100_000), record("b", at: 101_000, monotonic: 5)]) == [["a", "b"]])
    #expect(names([record("a", at: 100_000), record("b", at: 200_000, monotonic: 101_000)]) == [["a"], ["b"]])
  }

  @Test func anotherFormatIsAnotherSpan() {
    #expect(names([record("a", at: 1000), record("b", at: 2000, codec: .hevc)]) == [["a"], ["b"]])
    #expect(
      names([record("a", at: 1000), record("b", at: 2000, size: Size(width: 32, height: 32))]) == [["a"], ["b"]])
    #expect(names([record("a", at: 1000), record("b", at: 2000, container: .mov)]) == [["a", "b"]])
  }

  @Test func sessionsHaveSpansOfTheirOwn() {
    #expect(names([record("a", at: 1000), record("b", at: 2000, session: "s2")]) == [["a"], ["b"]])
    #expect(
      names([record("a", at: 1000), record("b", at: 1500, session: "s2"), record("c", at: 2000)]) == [
        ["a", "c"], ["b"],
      ])
  }

  @Test func whatCannotBeExportedHasNoSpan() {
    var unplayable = record("a", at: 1000)
    unplayable.tally.fileSize = 0
    var empty = record("b", at: 1000)
    empty.startTime = nil
    #expect(names([unplayable, empty, record("c", at: 1000, container: .matroska)]) == [])
  }
}
