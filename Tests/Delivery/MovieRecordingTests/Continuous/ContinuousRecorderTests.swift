import CaptureCore
import CaptureTestKit
import Foundation
import Imaging
import Logging
import MovieTestKit
import Synchronization
import SystemClocks
import Testing
import VideoCoding

@testable import MovieRecording

/// Continuous recordings as files, judged by FFmpeg's programs. The limit only ends a broken test.
@Suite(.computing, .enabled(if: MediaTools.areInstalled && MovieCodec.h264.isAvailable), .timeLimit(.minutes(2)))
struct ContinuousRecorderTests {
  private static let period: UInt64 = 40_000_000
  private static let stopped = CaptureError(.operationInterrupted, "The session stopped.")

  private let pool = FramePool(budget: 256 << 20)
  private let folder = StoreFolder()
  private let store: RecordingStore
  private let recorder: ContinuousRecorder
  private let counters = RecordingCounters()

  init() throws {
    store = try folder.open(counters: counters)
    recorder = Self.recorder(RecordingSettings(), in: folder, store, counters)
  }

  /// A recorder of segments of ten frames and fragments of five.
  private static func recorder(
    _ settings: RecordingSettings, in folder: StoreFolder, _ store: RecordingStore, _ counters: RecordingCounters
  ) -> ContinuousRecorder {
    let recorder = ContinuousRecorder(
      session: "front", output: "movie",
      ContinuousSettings(segmentDuration: 10 * period, fragmentInterval: 5 * period), settings, counters: counters,
      logger: Logger(label: "test") { _ in folder.log })
    recorder.open(store)
    recorder.goOn(frameRate: Rational(25, 1))
    return recorder
  }

  private static func stamp(_ number: Int) -> MonotonicInstant {
    MonotonicInstant(nanoseconds: 1_000_000_000 + UInt64(number) * period)
  }

  private func frame(
    _ number: Int, width: Int = 256, matrix: FrameLayout.Matrix = .bt709, isJPEG: Bool = false,
    missing: DropCounts = DropCounts(), device: String = ""
  ) throws -> CapturedFrame {
    var pictures = BoardPictures(pool: pool)
    pictures.size = Size(width: width, height: 96)
    pictures.matrix = matrix
    let stamp = Self.stamp(number)
    var picture = try pictures.picture(number, at: stamp.nanoseconds)
    if isJPEG { picture = try JPEGEncoder(pool: pool).encode(picture, quality: 90) }
    return CapturedFrame(
      frame: Frame(
        streamID: 1, sequence: UInt64(number),
        time: FrameTime(
          monotonic: stamp, wall: WallInstant(nanoseconds: stamp.nanoseconds), source: .endOfFrame),
        layout: picture.layout, buffer: picture.buffer, missing: missing),
      input: "camera", configRevision: 1, device: device)
  }

  private func receive(
    _ numbers: some Sequence<Int>, width: Int = 256, matrix: FrameLayout.Matrix = .bt709, device: String = ""
  ) async throws {
    for number in numbers {
      while recorder.isBusy { await Task.yield() }
      recorder.receive(try frame(number, width: width, matrix: matrix, device: device))
    }
  }

  /// Ends the recording. Returns its segments, the oldest first.
  private func segments() async throws -> [RecordingRecord] {
    recorder.close(Self.stopped)
    await recorder.finished()
    return try await store.records().reversed()
  }

  /// The numbers of the frames in a segment, whose first frame must be at the start of the file and of the record.
  private func numbers(_ record: RecordingRecord) throws -> [Int] {
    let path = store.path(of: record)
    let numbers = try MediaTools.boards(path, record.size).boards.map { try Int(#require($0).sequence) }
    let (packets, ticks) = try ProbedPacket.packets(path)
    let first = try #require(numbers.first)
    #expect(packets.map { $0.time * 1000 / ticks } == numbers.map { Int64($0 - first) * 40 })
    #expect(record.startMonotonic == Self.stamp(first))
    #expect(record.duration == UInt64(try #require(numbers.last) + 1 - first) * Self.period)
    #expect(record.tally.frames == UInt64(numbers.count))
    #expect(record.state == .finished && record.isSegment && record.isUsable)
    #expect(try folder.record(record.id).startMonotonic == record.startMonotonic)
    return numbers
  }

  @Test func segmentsFollowEachOtherWithoutALossOrADouble() async throws {
    try await receive(0..<35)
    let segments = try await segments()
    #expect(try segments.map(numbers) == [Array(0..<10), Array(10..<20), Array(20..<30), Array(30..<35)])
    #expect(segments.map(\.end) == [.nextSegment, .nextSegment, .nextSegment, .session(Self.stopped)])
    #expect(segments.allSatisfy { $0.tally.dropped == DropCounts() })
    #expect(counters.now.segmentsFinished == 4)
    #expect(counters.now.bytes == segments.reduce(0) { $0 + $1.tally.fileSize })
  }

  /// No thread encodes between the camera and the thread that writes.
  @Test func segmentsOfTheCamerasOwnPicturesFollowEachOther() async throws {
    let recorder = Self.recorder(RecordingSettings(codec: .motionJPEG), in: folder, store, counters)
    for number in 0..<35 { recorder.receive(try frame(number, isJPEG: true)) }
    recorder.close(Self.stopped)
    await recorder.finished()
    let segments = try await store.records().reversed()
    #expect(try segments.map(numbers) == [Array(0..<10), Array(10..<20), Array(20..<30), Array(30..<35)])
    #expect(segments.allSatisfy { $0.codec == .motionJPEG && $0.tally.dropped == DropCounts() })
  }

  @Test func aPauseBeginsTheNextSegmentByItself() async throws {
    try await receive(0..<12)
    recorder.pause(Self.stopped)
    try await receive(12..<15)
    recorder.goOn(frameRate: nil)
    try await receive(20..<25)
    let segments = try await segments()
    #expect(try segments.map(numbers) == [Array(0..<10), Array(10..<12), Array(20..<25)])
    #expect(segments.map(\.end) == [.nextSegment, .session(Self.stopped), .session(Self.stopped)])
  }

  @Test func anotherFormatBeginsTheNextSegment() async throws {
    try await receive(0..<3)
    try await receive(3..<6, width: 320)
    let segments = try await segments()
    #expect(try segments.map(numbers) == [[0, 1, 2], [3, 4, 5]])
    #expect(segments.map(\.size.width) == [256, 320])
    guard case .session(let error) = segments[0].end else { return #expect(Bool(false), "\(segments[0])") }
    #expect(error.metadata["cause"] == "the format changed")
  }

  /// A commit may give the output a camera of the same size and format whose colours are others.
  @Test func otherColoursBeginTheNextSegment() async throws {
    try await receive(0..<3)
    try await receive(3..<6, matrix: .bt601)
    let segments = try await segments()
    #expect(try segments.map(numbers) == [[0, 1, 2], [3, 4, 5]])
    let first = try #require(segments.first)
    guard case .session(let error) = first.end else { return #expect(Bool(false), "\(first)") }
    #expect(error.metadata["cause"] == "the format changed")
  }

  @Test func anotherCameraBeginsTheNextSegment() async throws {
    try await receive(0..<3, device: "a")
    try await receive(3..<6, device: "b")
    let segments = try await segments()
    #expect(try segments.map(numbers) == [[0, 1, 2], [3, 4, 5]])
    #expect(segments.map(\.device) == ["a", "b"])
    guard case .session(let error) = segments[0].end else { return #expect(Bool(false), "\(segments[0])") }
    #expect(error.metadata["cause"] == "the output got another camera")
    // They follow one another without a gap, and are no span.
    let spans = try await Recordings { [store] in .success(store) }.spans { _ in true }
    #expect(spans.map(\.device) == ["a", "b"])
  }

  /// What the camera lost before the first frame of a segment belongs to the segment before.
  @Test func lossesCountInTheirSegment() async throws {
    try await receive(0..<9)
    while recorder.isBusy { await Task.yield() }
    recorder.receive(try frame(12, missing: DropCounts(discontinuity: 3)))
    while recorder.isBusy { await Task.yield() }
    recorder.receive(try frame(14, missing: DropCounts(discontinuity: 1)))
    let segments = try await segments()
    #expect(segments.map(\.tally.dropped.discontinuity) == [3, 1])
    #expect(try segments.map(numbers) == [Array(0..<9), [12, 14]])
  }

  /// A file lies where the folder of the session should be.
  @Test func aFailureIsLoggedOnceAndTriedAgain() async throws {
    try folder.write("front", Data([1]))
    var number = 0
    // Each failure but the first one comes a second or more after the one before, in the time of the frames.
    while counters.now.failures < 3 {
      try await receive([number])
      number += 1
    }
    #expect(try await store.records() == [])
    try FileManager.default.removeItem(atPath: folder.path("front"))
    try await receive([number + 200, number + 500, number + 501])
    let segments = try await segments()
    #expect(try segments.flatMap(numbers).suffix(2) == [number + 500, number + 501])
    #expect(lines("failed") == 1)
    #expect(lines("has resumed") == 1)
  }

  /// How many lines of the log say this of the recording.
  private func lines(_ text: String) -> Int {
    folder.log.all.filter { $0.contains("recording of the session \(text)") }.count
  }

  /// Two failures come in a row, and a minute without one.
  @Test func aRecordingThatGoesOnIsLoggedWhileItRuns() async throws {
    try folder.write("front", Data([1]))
    var number = 0
    while counters.now.failures < 2 {
      try await receive([number])
      number += 1
    }
    try FileManager.default.removeItem(atPath: folder.path("front"))
    // The first frame begins the delay.
    let start = number + 500
    try await receive([number, start, start + 5])
    // A minute has 1,500 frames.
    try await receive([start + 1480])
    #expect(lines("has resumed") == 0)
    // The encoder holds some of these frames back.
    try await receive(start + 1500..<start + 1560)
    while lines("has resumed") == 0 { await Task.yield() }
    #expect(recorder.isRecording)
    recorder.close(Self.stopped)
    await recorder.finished()
    #expect(lines("failed") == 1)
    #expect(lines("has resumed") == 1)
  }

  /// The folder can be opened after two delays.
  @Test func aFolderThatCannotBeOpenedIsTriedAgain() async throws {
    let delays = Mutex<[UInt64]>([])
    let other = StoreFolder()
    let counters = RecordingCounters()
    let recordings = Recordings(counters: counters, sleep: { delay in delays.withLock { $0.append(delay) } }) {
      if delays.withLock(\.count) < 2 {
        return .failure(CaptureError(.processingFailed, "The disk is not there yet."))
      }
      do { return .success(try other.open()) } catch { return .failure(error as! CaptureError) }
    }
    let recorder = recordings.recordContinuously(
      ContinuousSettings(), output: "movie", of: "front", RecordingSettings(),
      logger: Logger(label: "test") { [folder] _ in folder.log })
    recorder.goOn(frameRate: Rational(25, 1))
    var number = 0
    while !recorder.isRecording {
      recorder.receive(try frame(number))
      number += 1
      await Task.yield()
    }
    #expect(delays.withLock { $0 } == [1_000_000_000, 2_000_000_000])
    #expect(counters.now.failures == 2)
    #expect(lines("failed") == 1)
    #expect(try await recordings.store.records().count <= 1)
    recorder.close(Self.stopped)
    #expect(await recordings.close(within: .seconds(30)) == nil)
  }
}
