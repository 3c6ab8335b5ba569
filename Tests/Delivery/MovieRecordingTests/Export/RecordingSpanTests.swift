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
    container: MovieContainer = .mp4, device: String = "cam", form: UInt64? = 1
  ) -> RecordingRecord {
    var record = RecordingRecord(
      id: id, session: session, output: "movie", file: "\(id).\(container.fileExtension)", container: container,
      codec: .h264, size: Size(width: 64, height: 32), requestTime: WallInstant(nanoseconds: 1))
    record.device = device
    record.form = form.map { MovieForm(digests: [0: $0]) }
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

  /// It ran from 1 s to 4 s, with a pause of 2 s after 0.6 s.
  private func paused() -> RecordingRecord {
    var paused = record("paused", at: 1000)
    paused.pauses = [RecordingPause(movieTime: 600_000_000, duration: 2 * Self.second)]
    return paused
  }

  private func times(_ spans: [RecordingSpan]) -> [[UInt64]] {
    spans.map { [$0.startTime.nanoseconds / 1_000_000, $0.endTime.nanoseconds / 1_000_000] }
  }

  @Test func aPauseEndsASpan() {
    let spans = RecordingSpan.spans(of: [paused(), record("next", at: 4000)])
    #expect(spans.map(\.recordings) == [["paused"], ["paused", "next"]])
    #expect(times(spans) == [[1000, 1600], [3600, 5000]])
  }

  /// The next recording has a pre-roll that begins within the pause.
  @Test func aPreRollFillsTheRestOfAPause() {
    var next = record("next", at: 2000)
    (next.duration, next.tally.frames) = (3 * Self.second, 30)
    let spans = RecordingSpan.spans(of: [paused(), next])
    #expect(spans.map(\.recordings) == [["paused"], ["next", "paused"]])
    #expect(times(spans) == [[1000, 1600], [2000, 5000]])
  }

  /// A frame takes 100 ms.
  @Test func aPauseOfLessThanHalfAFrameIsNoGap() {
    var short = paused()
    short.pauses[0].duration = 50_000_000
    #expect(times(RecordingSpan.spans(of: [short])) == [[1000, 2050]])
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

  @Test func anotherFormOrCameraIsAnotherSpan() {
    #expect(names([record("a", at: 1000), record("b", at: 2000, form: 2)]) == [["a"], ["b"]])
    #expect(names([record("a", at: 1000), record("b", at: 2000, device: "other")]) == [["a"], ["b"]])
    #expect(names([record("a", at: 1000), record("b", at: 2000, container: .mov)]) == [["a", "b"]])
  }

  /// The first one ends 50 ms after the start of the next one, as far as the duration of its last frame tells.
  @Test func anEstimatedEndIsNotInTheNextSpan() {
    let spans = RecordingSpan.spans(of: [record("a", at: 1000), record("b", at: 1950, form: 2)])
    #expect(times(spans) == [[1000, 1950], [1950, 2950]])
  }

  @Test func aRecordingOfUnknownFormIsASpanOfItsOwn() {
    #expect(
      names([record("a", at: 1000), record("b", at: 2000, form: nil), record("c", at: 3000)]) == [["a"], ["b"], ["c"]])
    #expect(names([record("a", at: 1000, form: nil), record("b", at: 2000, form: nil)]) == [["a"], ["b"]])
  }

  /// The sound of the first and the last recording differs, though neither differs from the silent one between them.
  @Test func formsAreThoseOfAllRecordingsBefore() {
    var (first, last) = (record("a", at: 1000), record("c", at: 3000))
    first.form = MovieForm(digests: [0: 1, 1: 7])
    last.form = MovieForm(digests: [0: 1, 1: 8])
    #expect(names([first, record("b", at: 2000), last]) == [["a", "b"], ["c"]])
    #expect(names([record("b", at: 2000), last]) == [["b", "c"]])
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
