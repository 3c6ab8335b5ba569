import CaptureCore
import CaptureTestKit
import Testing

@testable import PhotoCapture

/// Tests which values of readiness a watcher gets. The time limit is for a test whose awaited event never comes.
@Suite(.timeLimit(.minutes(2))) struct ReadinessUpdatesTests {
  @Test("a watcher gets the present value first and then each change") func thePresentValueComesFirst() async throws {
    let stage = try await PhotoStage()
    var updates = try stage.output.watchReadiness().makeAsyncIterator()
    #expect(try await updates.next() == .ready)
    stage.sessionBecomes(.stopped)
    #expect(try await updates.next() == .sessionNotRunning)
  }

  @Test("a watcher learns that a photo is processed and when the output is ready again")
  func processingChangesReadiness() async throws {
    let stage = try await PhotoStage(gated: true)
    stage.capture(1)
    var updates = try stage.output.watchReadiness().makeAsyncIterator()
    #expect(try await updates.next() == .ready)
    let capture = try stage.output.capture(PhotoStage.request(arrival: 1))
    #expect(try await updates.next() == .notReadyWaitingForProcessing)
    stage.encoder.pass()
    #expect(try await updates.next() == .ready)
    _ = try await capture.photo()
  }

  /// The test takes many photos, because threads that run in the wrong order would break this only now and then.
  @Test("the output is ready before the client gets the last event of a capture")
  func theOutputIsReadyBeforeTheLastEvent() async throws {
    let stage = try await PhotoStage()
    stage.capture(1)
    for _ in 0..<50 {
      _ = try await stage.output.capture(PhotoStage.request(arrival: 1)).photo()
      #expect(stage.output.readiness == .ready)
    }
  }

  @Test("a slow watcher gets the newest value and misses those before it")
  func aSlowWatcherGetsTheNewestValue() async throws {
    let stage = try await PhotoStage()
    var updates = try stage.output.watchReadiness().makeAsyncIterator()
    #expect(try await updates.next() == .ready)
    stage.sessionBecomes(.stopped)
    stage.sessionBecomes(.running)
    stage.sessionBecomes(.interrupted)
    #expect(try await updates.next() == .sessionNotRunning)
    // The next two changes lead back to the value that the watcher got last, so they bring no update.
    stage.sessionBecomes(.running)
    stage.sessionBecomes(.stopped)
    let waiting = Task { [updates] in
      var updates = updates
      return try await updates.next()
    }
    stage.sessionBecomes(.running)
    #expect(try await waiting.value == .ready)
  }

  @Test("closing the output ends every watch with its error, also a watch that begins later")
  func closingEndsTheWatchWithTheError() async throws {
    let stage = try await PhotoStage()
    var updates = try stage.output.watchReadiness().makeAsyncIterator()
    #expect(try await updates.next() == .ready)
    let gone = CaptureError(.sessionNotFound, "deleted")
    stage.output.close(gone)
    await #expect(throws: gone) { while try await updates.next() != nil {} }
    var late = try stage.output.watchReadiness().makeAsyncIterator()
    await #expect(throws: gone) { try await late.next() }
  }
}
