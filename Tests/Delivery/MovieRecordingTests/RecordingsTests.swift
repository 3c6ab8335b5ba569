import CaptureCore
import CaptureTestKit
import Logging
import SystemClocks
import Testing
import VideoCoding

@testable import MovieRecording

/// How recordings of a client begin.
@Suite(.enabled(if: MovieCodec.h264.isAvailable), .timeLimit(.minutes(2)))
struct RecordingsTests {
  /// Without that, a copy that takes long would keep the daemon from its end.
  @Test func theEndOfTheDaemonCancelsCopies() async throws {
    let copies = SeekableCopies()
    let store = try StoreFolder().open()
    let recordings = Recordings(counters: RecordingCounters(), copies: copies, sleep: { _ in }) { .success(store) }
    #expect(await recordings.close(within: .seconds(60)) == nil)
    await #expect(throws: CaptureError(.operationInterrupted, "The daemon is shutting down.")) {
      try await copies.perform { _ throws(CaptureError) in }
    }
  }

  /// A copy that took that space would make retention delete segments.
  @Test func copiesLeaveTheSpaceThatASessionLeavesToOthers() async throws {
    let store = try StoreFolder().open()
    let recordings = Recordings { .success(store) }
    #expect(recordings.spaceOfOthers == 0)
    var settings = ContinuousSettings()
    settings.retention.minimumFreeSpace = .bytes(5_000_000_000)
    let recorder = recordings.recordContinuously(
      settings, output: "movie", of: "door", RecordingSettings(), logger: Logger(label: "test"))
    #expect(recordings.spaceOfOthers == 5_000_000_000)
    recorder.close(CaptureError(.outputRemoved, "The test ends."))
    await recorder.finished()
    #expect(recordings.spaceOfOthers == 0)
  }

  /// The client may leave while the folder is being opened.
  @Test func aCancelledRequestRecordsNothing() async throws {
    let folder = StoreFolder()
    let store = try folder.open()
    let recordings = Recordings { .success(store) }
    let output = MovieOutput(
      id: "movie", session: "front", settings: RecordingSettings(), logger: Logger(label: "test"))
    var conditions = OutputConditions()
    conditions.status = SessionStatus(.running)
    output.update(conditions)
    let request = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      _ = try await recordings.start(output, of: "front", file: "", output.settings, whenEnded: {})
    }
    await #expect(throws: CancellationError.self) { try await request.value }
    #expect(!output.isRecording)
    #expect(try await recordings.all().isEmpty)
    output.close(CaptureError(.outputRemoved, "The test ends."))
  }
}
