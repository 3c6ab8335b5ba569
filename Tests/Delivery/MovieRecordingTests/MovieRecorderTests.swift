import CaptureCore
import CaptureTestKit
import Foundation
import Imaging
import Locking
import MovieTestKit
import SystemClocks
import Testing
import VideoCoding

@testable import MovieRecording

/// Recordings as files, judged by FFmpeg's programs. The limit only ends a broken test.
@Suite(.computing, .enabled(if: MediaTools.areInstalled && MovieCodec.h264.isAvailable), .timeLimit(.minutes(2)))
struct MovieRecorderTests {
  private static let rate = Rational(25, 1)
  private static let period: UInt64 = 40_000_000

  private let pool = FramePool(budget: 256 << 20)
  private let file = TemporaryFile("mp4")

  private var pictures: BoardPictures { BoardPictures(pool: pool) }

  /// The camera's frame with this number, 25 of which come in a second.
  private func frame(_ number: Int, missing: DropCounts = DropCounts()) throws -> CapturedFrame {
    let time = 1_000_000_000 + UInt64(number) * Self.period
    let picture = try pictures.picture(number, at: time)
    return CapturedFrame(
      frame: Frame(
        streamID: 1, sequence: UInt64(number),
        time: FrameTime(
          monotonic: MonotonicInstant(nanoseconds: time), wall: WallInstant(nanoseconds: time), source: .endOfFrame),
        layout: picture.layout, buffer: picture.buffer, missing: missing),
      input: "camera", configRevision: 1)
  }

  private func makeRecorder(
    path: String? = nil, _ settings: RecordingSettings = RecordingSettings(fragmentInterval: 400_000_000)
  ) throws -> MovieRecorder {
    let recorder = MovieRecorder(to: .file(path ?? file.path), settings: settings, frameRate: Self.rate)
    try recorder.start()
    return recorder
  }

  /// Gives the recorder frames as fast as it takes them, so that none is dropped.
  private func record(_ numbers: some Sequence<Int>, by recorder: MovieRecorder) async throws {
    for number in numbers {
      while recorder.isBusy { await Task.yield() }
      recorder.receive(try frame(number))
    }
  }

  /// Waits for the end. Returns all events.
  private func events(of recorder: MovieRecorder) async throws -> [RecordingEvent] {
    var events: [RecordingEvent] = []
    for await event in recorder.events { events.append(event) }
    return events
  }

  /// The numbers that the boards of a file say, and the times of its packets in milliseconds.
  private func contents(_ path: String) throws -> (numbers: [Int?], times: [Int64]) {
    let (packets, ticks) = try ProbedPacket.packets(path)
    let boards = try MediaTools.boards(path, pictures.size).boards.map { $0.map { Int($0.sequence) } }
    return (boards, packets.map { $0.time * 1000 / ticks })
  }

  @Test func everyFrameIsInTheFileAtItsTime() async throws {
    let recorder = try makeRecorder()
    try await record([0, 1, 2, 5, 6] + Array(50..<60), by: recorder)
    recorder.end(.stopped)
    let events = try await events(of: recorder)
    #expect(
      events == [
        .started(MonotonicInstant(nanoseconds: 1_000_000_000)), .willFinish(.stopped), .finished(.stopped),
      ])
    let (numbers, times) = try contents(file.path)
    #expect(numbers == [0, 1, 2, 5, 6] + Array(50..<60))
    #expect(times == numbers.map { Int64($0!) * 40 })
    #expect(recorder.progress.tally.frames == 15)
    #expect(recorder.progress.tally.dropped == DropCounts())
    #expect(recorder.progress.tally.fileSize == (try Data(contentsOf: URL(fileURLWithPath: file.path))).count)
  }

  /// A driver may give several frames the same time stamp.
  @Test func aFrameThatIsNotNewerIsCounted() async throws {
    let recorder = try makeRecorder()
    recorder.receive(try frame(1))
    recorder.receive(try frame(1, missing: DropCounts(discontinuity: 2)))
    recorder.receive(try frame(0))
    recorder.end(.stopped)
    _ = try await events(of: recorder)
    #expect(recorder.progress.tally.frames == 1)
    #expect(recorder.progress.tally.dropped == DropCounts(late: 2, discontinuity: 2))
  }

  @Test func aPauseIsNotInTheFile() async throws {
    let recorder = try makeRecorder()
    try await record(0..<10, by: recorder)
    #expect(recorder.pause())
    try await record(10..<40, by: recorder)
    #expect(recorder.resume())
    try await record(40..<50, by: recorder)
    recorder.end(.stopped)
    _ = try await events(of: recorder)
    let (numbers, times) = try contents(file.path)
    #expect(numbers == Array(0..<10) + Array(40..<50))
    #expect(times == (0..<20).map { $0 * 40 })
  }

  @Test func theCamerasOwnPicturesAreNotEncodedAnew() async throws {
    let path = TemporaryFile("mkv").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let encoder = JPEGEncoder(pool: pool)
    let recorder = try makeRecorder(
      path: path, RecordingSettings(container: .matroska, codec: .motionJPEG))
    var sizes: [Int] = []
    for number in 0..<5 {
      let raw = try frame(number)
      let picture = try encoder.encode(raw.frame.picture, quality: 90)
      sizes.append(picture.buffer.count)
      while recorder.isBusy { await Task.yield() }
      recorder.receive(
        raw.with(
          Frame(
            streamID: 1, sequence: UInt64(number), time: raw.frame.time, layout: picture.layout, buffer: picture.buffer)
        ))
    }
    recorder.end(.stopped)
    _ = try await events(of: recorder)
    #expect(try MediaTools.probe(path, "packet=size").map { Int($0["size"]!) } == sizes)
  }

  /// The file that is there stays as it is.
  @Test func aFileThatExistsIsNotReplaced() async throws {
    try file.write([1, 2, 3])
    let recorder = try makeRecorder()
    let events = try await events(of: recorder)
    guard case .finished(.failed(let error)) = events.last else { return #expect(Bool(false), "\(events)") }
    #expect(error.metadata["errno"] == "\(EEXIST)")
    #expect(try Data(contentsOf: URL(fileURLWithPath: file.path)) == Data([1, 2, 3]))
  }

  @Test func aRecordingWithoutFramesLeavesNoFile() async throws {
    let recorder = try makeRecorder()
    recorder.end(.stopped)
    #expect(try await events(of: recorder) == [.willFinish(.stopped), .finished(.stopped)])
    #expect(!FileManager.default.fileExists(atPath: file.path))
  }

  @Test func theLongestDurationEndsTheRecording() async throws {
    let recorder = try makeRecorder(RecordingSettings(limits: RecordingLimits(duration: 10 * Self.period)))
    try await record(0..<20, by: recorder)
    #expect(try await events(of: recorder).last == .finished(.maximumDuration))
    #expect(try contents(file.path).numbers == Array(0..<10))
  }

  @Test func theLargestSizeEndsTheRecording() async throws {
    let recorder = try makeRecorder(
      RecordingSettings(fragmentInterval: 200_000_000, limits: RecordingLimits(fileSize: 4000)))
    var number = 0
    while true {
      if case .finished = recorder.progress.state { break }
      try await record([number], by: recorder)
      number += 1
    }
    #expect(try await events(of: recorder).last == .finished(.maximumFileSize))
    #expect(recorder.progress.tally.fileSize >= 4000)
    let numbers = try contents(file.path).numbers
    #expect(numbers == Array(0..<numbers.count))
  }

  /// A frame for which there is no room is left out, and the movie goes on.
  @Test func framesThatTheEncoderCannotTakeAreCounted() async throws {
    let recorder = try makeRecorder()
    let frames = try (0..<60).map { try frame($0) }
    for frame in frames { recorder.receive(frame) }
    recorder.end(.stopped)
    _ = try await events(of: recorder)
    let tally = recorder.progress.tally
    #expect(tally.dropped.late > 0)
    #expect(tally.frames + tally.dropped.late == 60)
    let numbers = try contents(file.path).numbers
    #expect(numbers.count == Int(tally.frames))
    #expect(!numbers.contains(nil))
  }

  /// The driver's losses count from the first frame on.
  @Test func whatTheDriverLostIsCounted() async throws {
    let recorder = try makeRecorder()
    recorder.receive(try frame(0, missing: DropCounts(discontinuity: 7)))
    recorder.receive(try frame(3, missing: DropCounts(discontinuity: 2)))
    recorder.end(.stopped)
    _ = try await events(of: recorder)
    #expect(recorder.progress.tally.dropped == DropCounts(discontinuity: 2))
  }

  // MARK: Sound

  private static let audioFormat = AudioFormat(sampleRate: 48_000, channelCount: 1)

  /// The sound of a second, with a click at its start, on the clock of ``frame(_:missing:)``.
  private func second(_ number: Int) -> AudioBlock {
    AudioBlock(
      format: Self.audioFormat, time: MonotonicInstant(nanoseconds: 1_000_000_000 * UInt64(1 + number)),
      samples: (0..<48_000).map { $0 < 24 ? 0.9 : 0 })
  }

  /// When a track of sound has clicks, in milliseconds from the start of the movie.
  private func clicks(_ path: String, track: Int = 0) throws -> [Int] {
    let first = try #require(try MediaTools.probe(path, "packet=pts_time", of: "a:\(track)").first?["pts_time"])
    let result = try MediaTools.run(
      "ffmpeg", ["-v", "error", "-i", path, "-map", "0:a:\(track)", "-f", "f32le", "-ac", "1", "-"])
    let samples = result.output.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
    let start = Int((Double(first) ?? .nan) * 1000)
    var clicks: [Int] = []
    for index in samples.indices where abs(samples[index]) > 0.3 {
      let time = start + index / 48
      if clicks.last.map({ time - $0 > 100 }) ?? true { clicks.append(time) }
    }
    return clicks
  }

  /// Sound is heard with the picture of its time, before and after a pause, in each container.
  @Test(arguments: MovieContainer.allCases) func soundIsInStepWithThePictures(_ container: MovieContainer) async throws
  {
    let file = TemporaryFile(container.fileExtension)
    var settings = RecordingSettings(container: container, fragmentInterval: 400_000_000)
    settings.sound.tracks = [
      AudioConnection(input: "left", format: Self.audioFormat),
      AudioConnection(input: "right", format: Self.audioFormat),
    ]
    let recorder = try makeRecorder(path: file.path, settings)
    // The frames 10 to 69 and 110 to 134 of the camera: 1.4 to 3.8 s and 5.4 to 6.4 s of the clock.
    for number in 0..<2 { recorder.receive(second(number), of: "left") }
    try await record(10..<70, by: recorder)
    for number in 2..<4 { recorder.receive(second(number), of: "left") }
    #expect(recorder.pause())
    try await record(70..<100, by: recorder)
    #expect(recorder.resume())
    try await record(110..<135, by: recorder)
    for number in 4..<6 { recorder.receive(second(number), of: "left") }
    recorder.receive(second(4), of: "elsewhere")
    recorder.end(.stopped)
    _ = try await events(of: recorder)
    #expect(try contents(file.path).numbers == Array(10..<70) + Array(110..<135))
    // The clicks of 2 and 3 s, and that of 6 s; the pause has those of 4 and 5 s.
    let found = try clicks(file.path)
    #expect(found.count == 3)
    for (time, expected) in zip(found, [600, 1600, 3000]) { #expect(abs(time - expected) <= 1, "\(found)") }
    #expect(try clicks(file.path, track: 1).isEmpty)
    let tally = recorder.progress.tally
    #expect(tally.silence.count == 2 && tally.silence[0] == 0)
    // A microphone that gives nothing has silence up to two seconds before the end.
    #expect((1_400_000_000...3_400_000_000).contains(tally.silence[1]), "\(tally.silence)")
  }

  /// What a codec cannot do ends the recording, and says why.
  @Test func soundThatCannotBeCodedFails() async throws {
    var settings = RecordingSettings(container: .matroska)
    settings.sound.codec = .opus
    settings.sound.tracks = [AudioConnection(input: "a", format: AudioFormat(sampleRate: 44_100, channelCount: 1))]
    let recorder = try makeRecorder(settings)
    guard case .finished(.failed(let error)) = try await events(of: recorder).last else {
      Issue.record("it did not fail")
      return
    }
    #expect(error.reason == .formatNotSupported)
    #expect(!FileManager.default.fileExists(atPath: file.path))
  }
}
