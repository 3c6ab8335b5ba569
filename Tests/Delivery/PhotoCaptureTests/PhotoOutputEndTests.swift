import CaptureCore
import CaptureTestKit
import Synchronization
import Testing

@testable import PhotoCapture

/// Tests that everything ends with the photo output. The limit only ends a broken test.
@Suite(.timeLimit(.minutes(2))) struct PhotoOutputEndTests {
  /// A running output without a ring, so that captures wait for a frame.
  private static func output(_ context: FakeOutputContext, _ shots: ShotCapabilities = ShotCapabilities()) async throws
    -> PhotoOutput
  {
    let output = PhotoOutput(id: "photo", context: context, features: PhotoFeatures(), destination: CaptureStore())
    var conditions = OutputConditions()
    conditions.status = SessionStatus(.running)
    conditions.photoFeatures = PhotoFeatures(zeroShutterLag: false, shots: shots)
    output.update(conditions)
    try await output.prepare()
    return output
  }

  @Test("a capture that waits ends when its output is let go without being closed") func aCaptureEnds() async throws {
    var output: PhotoOutput? = try await Self.output(FakeOutputContext())
    let capture = try #require(try output?.capture(PhotoStage.request("a")))
    output = nil
    #expect(await capture.all().map(\.name).last == "end: operationInterrupted")
  }

  @Test("the end of a capture is told although nobody reads its events, and told at once when it came before")
  func anEndIsTold() async throws {
    let output = try await Self.output(FakeOutputContext())
    let capture = try output.capture(PhotoStage.request("a"))
    let ends = Mutex(0)
    capture.whenEnded { ends.withLock { $0 += 1 } }
    #expect(ends.withLock(\.self) == 0)
    output.close(CaptureError(.sessionNotFound, "on purpose"))
    #expect(ends.withLock(\.self) == 1)
    capture.whenEnded { ends.withLock { $0 += 1 } }
    #expect(ends.withLock(\.self) == 2)
  }

  /// The step waits for frames without the output, so that only the queue can end it.
  @Test("the step of a shot ends when its output is closed and let go") func aShotEnds() async throws {
    let context = FakeOutputContext()
    var output: PhotoOutput? = try await Self.output(context, PhotoStage.shotCapabilities)
    let capture = try #require(try output?.capture(PhotoStage.shot("a", change: PhotoStage.byHand)))
    while output?.queue.read({ !$0.shots.hasStep }) == true { await Task.yield() }
    output?.close(CaptureError(.sessionNotFound, "on purpose"))
    output = nil
    #expect(await capture.all().map(\.name).last == "end: operationInterrupted")
    try await context.shots.wait(count: 1)
  }

  @Test("a watcher of readiness that comes after the close gets the error") func aLateWatcherEnds() async throws {
    let output = try await Self.output(FakeOutputContext())
    output.close(CaptureError(.sessionNotFound, "on purpose"))
    let error = await #expect(throws: CaptureError.self) { for try await _ in try output.watchReadiness() {} }
    #expect(error?.reason == .sessionNotFound)
  }
}
