import CaptureCore
import CaptureTestKit
import SystemClocks
import Testing
import VideoCoding

@testable import MovieRecording

/// How recordings of a client begin.
@Suite(.enabled(if: MovieCodec.h264.isAvailable), .timeLimit(.minutes(2)))
struct RecordingsTests {
  /// The client may leave while the folder is being opened.
  @Test func aCancelledRequestRecordsNothing() async throws {
    let folder = StoreFolder()
    let store = try folder.open()
    let recordings = Recordings { .success(store) }
    let output = MovieOutput(id: "movie", session: "front", settings: RecordingSettings())
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
