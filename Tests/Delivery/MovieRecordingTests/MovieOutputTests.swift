import CaptureCore
import CaptureTestKit
import Foundation
import Imaging
import Locking
import Logging
import MovieTestKit
import SystemClocks
import Testing
import VideoCoding

@testable import MovieRecording

/// When recordings of an output may start, and what ends them. The limit only ends a broken test.
@Suite(.computing, .enabled(if: MediaTools.areInstalled && MovieCodec.h264.isAvailable), .timeLimit(.minutes(2)))
struct MovieOutputTests {
  private let pool = FramePool(budget: 64 << 20)
  private let file = TemporaryFile("mp4")
  private let output = MovieOutput(
    id: "movie", session: "front", settings: RecordingSettings(), logger: Logger(label: "test"))

  init() { output.update(Self.conditions(.running)) }

  private static func conditions(
    _ state: SessionState, _ interruption: InterruptionReason? = nil, isEnabled: Bool = true
  ) -> OutputConditions {
    var conditions = OutputConditions()
    conditions.status = SessionStatus(state, interruption: interruption)
    conditions.connection.isEnabled = isEnabled
    conditions.expectedFrameRate = Rational(25, 1)
    return conditions
  }

  private func frame(
    _ number: Int, stream: UInt64 = 1, width: Int = 256, matrix: FrameLayout.Matrix = .bt709, revision: UInt64 = 1
  ) throws -> CapturedFrame {
    let time = 1_000_000_000 + UInt64(number) * 40_000_000
    var pictures = BoardPictures(pool: pool)
    pictures.size = Size(width: width, height: 96)
    pictures.matrix = matrix
    let picture = try pictures.picture(number, at: time)
    return CapturedFrame(
      frame: Frame(
        streamID: stream, sequence: UInt64(number),
        time: FrameTime(
          monotonic: MonotonicInstant(nanoseconds: time), wall: WallInstant(nanoseconds: time), source: .endOfFrame),
        layout: picture.layout, buffer: picture.buffer),
      input: "camera", configRevision: revision)
  }

  /// Starts a recording and gives it three frames.
  private func record() throws -> MovieRecorder {
    let recorder = try output.record(to: .file(file.path), output.settings)
    for number in 0..<3 { output.receive(try frame(number)) }
    return recorder
  }

  /// Waits for the end of a recording. Returns why it ended.
  private func end(of recorder: MovieRecorder) async throws -> RecordingEnd {
    for await event in recorder.events {
      if case .finished(let end) = event { return end }
    }
    throw CancellationError()
  }

  private func sessionError(_ end: RecordingEnd) throws -> CaptureError {
    guard case .session(let error) = end else { throw end.unexpected }
    return error
  }

  @Test(arguments: [SessionState.stopped, .starting, .stopping, .interrupted])
  func aSessionThatDoesNotRunRecordsNothing(_ state: SessionState) {
    output.update(Self.conditions(state))
    #expect(throws: CaptureError.self) { try output.record(to: .file(file.path), output.settings) }
    #expect(!FileManager.default.fileExists(atPath: file.path))
  }

  @Test func anOutputWhoseCameraIsAwayRecordsNothingAndNamesTheInterruption() {
    output.update(Self.conditions(.interrupted, .deviceDisconnected))
    let error = #expect(throws: CaptureError.self) { try output.record(to: .file(file.path), output.settings) }
    #expect(error?.reason == .sessionNotRunning)
    #expect(error?.metadata["interruption"] == "DEVICE_DISCONNECTED")
    #expect(error?.message.contains("has no frames now") == true, "a start of the session would not help")
  }

  @Test func aDisabledConnectionRecordsNothing() {
    output.update(Self.conditions(.running, isEnabled: false))
    let error = #expect(throws: CaptureError.self) { try output.record(to: .file(file.path), output.settings) }
    #expect(error?.reason == .notSupportedInConfiguration)
  }

  @Test func aContainerThatDoesNotHoldTheCodecIsRefused() {
    var settings = output.settings
    settings.pictures.codec = .ffv1
    let error = #expect(throws: CaptureError.self) { try output.record(to: .file(file.path), settings) }
    #expect(error?.reason == .notSupportedInConfiguration)
    #expect(error?.metadata["available"] == "matroska")
  }

  @Test func anOutputWithoutAHistoryRefusesAPreRoll() {
    var settings = output.settings
    settings.preRoll = PreRollRequest(time: MonotonicInstant(nanoseconds: 2), duration: 1)
    let error = #expect(throws: CaptureError.self) { try output.record(to: .file(file.path), settings) }
    #expect(error?.reason == .notSupportedInConfiguration)
    #expect(error?.field == "pre_roll_duration")
  }

  /// An output that waits for deferred start runs it before a recording begins, and one that is prepared does not.
  @Test func aRecordingRunsDeferredStart() async throws {
    let (context, output) = deferredOutput()
    context.onDeferredStart { () throws(CaptureError) in try await output.prepare() }
    try await output.awaitDeferredStart()
    #expect(context.deferredStarts.all == [false])
    try await output.awaitDeferredStart()
    #expect(context.deferredStarts.count == 1)
    var conditions = Self.conditions(.running)
    conditions.status.awaitsDeferredStart = true
    output.update(conditions)
    #expect(throws: CaptureError.self, "its camera gives no frames") {
      try output.record(to: .file(file.path), output.settings)
    }
    try await output.awaitDeferredStart()
    #expect(context.deferredStarts.all == [false, true], "the camera has to open")
    // Breaks the circle of the output and the function.
    context.onDeferredStart {}
  }

  @Test func aDeferredStartThatFailsPreparesNoRecording() async throws {
    let (context, output) = deferredOutput()
    context.onDeferredStart { () throws(CaptureError) in throw CaptureError(.processingFailed, "no thread") }
    let error = await #expect(throws: CaptureError.self) { try await output.awaitDeferredStart() }
    #expect(error?.reason == .processingFailed)
    // Another output may fail when this one is prepared.
    context.onDeferredStart { () throws(CaptureError) in
      try await output.prepare()
      throw CaptureError(.processingFailed, "no thread")
    }
    try await output.awaitDeferredStart()
    #expect(context.deferredStarts.count == 2)
    context.onDeferredStart {}
  }

  @Test(arguments: [SessionState.stopped, .starting, .stopping, .interrupted])
  func aSessionThatDoesNotRunRunsNoDeferredStartForARecording(_ state: SessionState) async {
    let (context, output) = deferredOutput()
    output.update(Self.conditions(state))
    let error = await #expect(throws: CaptureError.self) { try await output.awaitDeferredStart() }
    #expect(error?.reason == .sessionNotRunning)
    #expect(context.deferredStarts.count == 0)
  }

  private func deferredOutput() -> (context: FakeOutputContext, output: MovieOutput) {
    let context = FakeOutputContext()
    let output = MovieOutput(
      id: "movie", session: "front", context: context, settings: RecordingSettings(), logger: Logger(label: "test"))
    output.update(Self.conditions(.running))
    return (context, output)
  }

  @Test func oneRecordingAtATime() async throws {
    let first = try record()
    let other = TemporaryFile("mp4")
    let error = #expect(throws: CaptureError.self) { try output.record(to: .file(other.path), output.settings) }
    #expect(error?.reason == .recordingInProgress)
    first.end(.stopped)
    // The next one may begin while the file of the first is being completed.
    let second = try output.record(to: .file(other.path), output.settings)
    output.receive(try frame(4))
    second.end(.stopped)
    #expect(try await end(of: first) == .stopped)
    #expect(try await end(of: second) == .stopped)
    #expect(second.progress.tally.frames == 1)
  }

  @Test func anInterruptionEndsTheMovieAndIsNamed() async throws {
    let recorder = try record()
    output.update(Self.conditions(.interrupted, .deviceDisconnected))
    let error = try sessionError(await end(of: recorder))
    #expect(error.reason == .operationInterrupted)
    #expect(error.metadata["interruption"] == "DEVICE_DISCONNECTED")
    #expect(recorder.progress.tally.frames == 3)
  }

  @Test func aDisabledConnectionEndsTheMovie() async throws {
    let recorder = try record()
    output.update(Self.conditions(.running, isEnabled: false))
    #expect(try sessionError(await end(of: recorder)).reason == .operationInterrupted)
  }

  @Test func aFrameOfAnotherSizeEndsTheMovie() async throws {
    let recorder = try record()
    output.receive(try frame(3, stream: 2, width: 320))
    output.receive(try frame(4, stream: 3))
    #expect(try sessionError(await end(of: recorder)).reason == .operationInterrupted)
    #expect(recorder.progress.tally.frames == 3)
  }

  /// A commit may give the output a camera of the same size and format whose colours are others.
  @Test func aFrameWithAnotherMatrixEndsTheMovie() async throws {
    let recorder = try record()
    output.receive(try frame(3, stream: 2, matrix: .bt601))
    let error = try sessionError(await end(of: recorder))
    #expect(error.metadata["cause"] == "the format changed")
    #expect(recorder.progress.tally.frames == 3)
  }

  @Test func anotherStreamOfTheSameFormatGoesOn() async throws {
    let recorder = try record()
    output.receive(try frame(9, stream: 2))
    output.receive(try frame(10, stream: 2))
    recorder.end(.stopped)
    #expect(try await end(of: recorder) == .stopped)
    #expect(recorder.progress.tally.frames == 5)
    #expect(recorder.progress.tally.dropped == DropCounts(discontinuity: 1))
  }

  /// A commit gave the output another camera while a frame of the former one was on its way.
  @Test func noFrameOfTheFormerCameraComesAfterOneOfTheOther() async throws {
    let recorder = try record()
    output.receive(try frame(9, stream: 2, revision: 2))
    output.receive(try frame(3))
    output.receive(try frame(10, stream: 2, revision: 2))
    recorder.end(.stopped)
    #expect(try await end(of: recorder) == .stopped)
    #expect(recorder.progress.tally.frames == 5)
    #expect(recorder.progress.tally.dropped == DropCounts(discontinuity: 1))
  }

  @Test func aClosedOutputEndsTheMovieWithItsError() async throws {
    let recorder = try record()
    let removed = CaptureError(.outputRemoved, "A commit removed the output.")
    output.close(removed)
    #expect(try await end(of: recorder) == .session(removed))
    let error = #expect(throws: CaptureError.self) { try output.record(to: .file(file.path), output.settings) }
    #expect(error == removed)
  }

  @Test func changesThatDoNotConcernTheMovieLeaveItAlone() async throws {
    let recorder = try record()
    var conditions = Self.conditions(.running)
    conditions.isReconfiguring = true
    conditions.status.isTakingStill = true
    output.update(conditions)
    output.receive(try frame(3))
    recorder.end(.stopped)
    #expect(try await end(of: recorder) == .stopped)
    #expect(recorder.progress.tally.frames == 4)
  }
}

extension RecordingEnd {
  fileprivate var unexpected: CaptureError { CaptureError(.processingFailed, "The recording ended by \(self).") }
}
