import CaptureCore
import CaptureTestKit
import Testing

@testable import PhotoCapture

/// The limit only ends a broken test: what it waits for would never come.
@Suite(.timeLimit(.minutes(2))) struct ReadinessUpdatesTests {
  @Test func thePresentValueComesFirst() async throws {
    let stage = try await PhotoStage()
    var updates = try stage.output.watchReadiness().makeAsyncIterator()
    #expect(try await updates.next() == .ready)
    stage.sessionBecomes(.stopped)
    #expect(try await updates.next() == .sessionNotRunning)
  }

  @Test func processingShows() async throws {
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

  @Test func readyBeforeTheLastEvent() async throws {
    let stage = try await PhotoStage()
    stage.capture(1)
    for _ in 0..<50 {
      _ = try await stage.output.capture(PhotoStage.request(arrival: 1)).photo()
      #expect(stage.output.readiness == .ready)
    }
  }

  @Test func theSlowGetTheNewest() async throws {
    let stage = try await PhotoStage()
    var updates = try stage.output.watchReadiness().makeAsyncIterator()
    #expect(try await updates.next() == .ready)
    stage.sessionBecomes(.stopped)
    stage.sessionBecomes(.running)
    stage.sessionBecomes(.interrupted)
    #expect(try await updates.next() == .sessionNotRunning)
    // What came and went in between is nothing new.
    stage.sessionBecomes(.running)
    stage.sessionBecomes(.stopped)
    let waiting = Task { [updates] in
      var updates = updates
      return try await updates.next()
    }
    stage.sessionBecomes(.running)
    #expect(try await waiting.value == .ready)
  }

  @Test func closingEndsItWithTheError() async throws {
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
