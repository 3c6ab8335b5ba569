import CaptureCore
import CaptureTestKit
import Imaging
import Locking
import Logging
import MovieTestKit
import SystemClocks
import Testing
import VideoCoding

@testable import MovieRecording

/// What an output does with its recordings when it gets another camera. The limit only ends a broken test.
@Suite(.computing, .enabled(if: MediaTools.areInstalled && MovieCodec.h264.isAvailable), .timeLimit(.minutes(2)))
struct MovieCamerasTests {
  private static let another = CaptureError.movieInterrupted(by: "the output got another camera")

  private let pool = FramePool(budget: 64 << 20)
  private let file = TemporaryFile("mp4")

  private func output(preRoll: UInt64 = 0) -> MovieOutput {
    var settings = RecordingSettings()
    settings.maximumPreRoll = preRoll
    let output = MovieOutput(id: "movie", session: "front", settings: settings, logger: Logger(label: "test"))
    output.update(Self.conditions("a", 1))
    return output
  }

  private static func conditions(_ device: String, _ revision: UInt64) -> OutputConditions {
    var conditions = OutputConditions()
    conditions.status = SessionStatus(.running)
    conditions.connection.isEnabled = true
    conditions.expectedFrameRate = Rational(25, 1)
    (conditions.device, conditions.revision) = (device, revision)
    return conditions
  }

  private func show(_ numbers: Range<Int>, of device: String, _ revision: UInt64, to output: MovieOutput) throws {
    for number in numbers {
      let time = 1_000_000_000 + UInt64(number) * 40_000_000
      let picture = try BoardPictures(pool: pool).picture(number, at: time)
      output.receive(
        CapturedFrame(
          frame: Frame(
            streamID: revision, sequence: UInt64(number),
            time: FrameTime(
              monotonic: MonotonicInstant(nanoseconds: time), wall: WallInstant(nanoseconds: time),
              source: .endOfFrame),
            layout: picture.layout, buffer: picture.buffer),
          input: "camera", configRevision: revision, device: device))
    }
  }

  private func record(
    _ output: MovieOutput, to path: String? = nil, preRoll: UInt64? = nil, at number: Int = 0
  ) throws -> MovieRecorder {
    var settings = output.settings
    settings.preRoll = preRoll.map {
      PreRollRequest(time: MonotonicInstant(nanoseconds: 1_000_000_000 + UInt64(number) * 40_000_000), duration: $0)
    }
    return try output.record(to: .file(path ?? file.path), settings)
  }

  private func end(of recorder: MovieRecorder) async throws -> RecordingEnd {
    for await event in recorder.events {
      if case .finished(let end) = event { return end }
    }
    throw CancellationError()
  }

  private func numbers(_ path: String? = nil) throws -> [Int] {
    let (boards, messages) = try MediaTools.boards(path ?? file.path, Size(width: 256, height: 96))
    #expect(messages == "")
    return try boards.map { try Int(#require($0).sequence) }
  }

  /// The commit may tell the output before the other camera has a frame, or after that.
  @Test(arguments: [UInt64(0), 1_000_000_000], [false, true])
  func aMovieEndsWithItsCamera(preRoll: UInt64, isToldFirst: Bool) async throws {
    let output = output(preRoll: preRoll)
    let recorder = try record(output)
    #expect(recorder.settings.device == "a")
    try show(0..<3, of: "a", 1, to: output)
    if isToldFirst { output.update(Self.conditions("b", 2)) }
    try show(3..<5, of: "b", 2, to: output)
    if !isToldFirst { output.update(Self.conditions("b", 2)) }
    #expect(try await end(of: recorder) == .session(Self.another))
    #expect(try numbers() == [0, 1, 2])
  }

  /// Nothing of the other camera is left out either.
  @Test func aPreRollHasTheFramesOfOneCamera() async throws {
    let output = output(preRoll: 5_000_000_000)
    try show(0..<5, of: "a", 1, to: output)
    // The frames of the new camera come while the commit may still fail.
    output.update(Self.conditions("a", 2))
    try show(5..<8, of: "b", 2, to: output)
    output.update(Self.conditions("a", 2))
    output.update(Self.conditions("b", 2))
    let recorder = try record(output, preRoll: 5_000_000_000, at: 8)
    #expect(recorder.settings.device == "b")
    try show(8..<10, of: "b", 2, to: output)
    recorder.end(.stopped)
    #expect(try await end(of: recorder) == .stopped)
    #expect(try numbers() == [5, 6, 7, 8, 9])
  }

  /// A frame of the former camera was on its way when a commit took the output from it.
  @Test(arguments: [UInt64(0), 1_000_000_000])
  func aLateFrameOfTheFormerCameraEndsNothing(preRoll: UInt64) async throws {
    let output = output(preRoll: preRoll)
    try show(0..<3, of: "a", 1, to: output)
    output.update(Self.conditions("b", 2))
    let recorder = try record(output)
    try show(3..<4, of: "a", 1, to: output)
    try show(4..<7, of: "b", 2, to: output)
    recorder.end(.stopped)
    #expect(try await end(of: recorder) == .stopped)
    #expect(try numbers() == [4, 5, 6])
  }

  /// The commit failed before the other camera had brought a frame.
  @Test func aCommitThatFailsAtOnceEndsNothing() async throws {
    let output = output()
    let recorder = try record(output)
    try show(0..<3, of: "a", 1, to: output)
    output.update(Self.conditions("a", 2))
    output.update(Self.conditions("a", 1))
    try show(3..<5, of: "a", 1, to: output)
    recorder.end(.stopped)
    #expect(try await end(of: recorder) == .stopped)
    #expect(try numbers() == [0, 1, 2, 3, 4])
  }

  /// The commit failed after the other camera had brought a frame.
  @Test func afterAFailedCommitTheFormerCameraIsRecordedAgain() async throws {
    let output = output()
    let first = try record(output)
    try show(0..<3, of: "a", 1, to: output)
    output.update(Self.conditions("a", 2))
    try show(3..<4, of: "b", 2, to: output)
    #expect(try await end(of: first) == .session(Self.another))
    output.update(Self.conditions("a", 1))
    let other = TemporaryFile("mp4")
    let second = try record(output, to: other.path)
    #expect(second.settings.device == "a")
    try show(4..<6, of: "a", 1, to: output)
    second.end(.stopped)
    #expect(try await end(of: second) == .stopped)
    #expect(try numbers(other.path) == [4, 5])
  }
}
