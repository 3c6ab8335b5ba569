import CaptureCore
import Testing

@testable import CaptureSessions

/// The actions with which a run prepares `outputs`.
private func begins(_ outputs: [String], _ run: Int) -> [DeferredStart.Action] {
  [.emit(.willRunDeferredStart(outputs: outputs)), .prepare(outputs, run: run)]
}

/// The action that reports that `outputs` are prepared.
private func isReady(_ outputs: [String]) -> [DeferredStart.Action] { [.emit(.didRunDeferredStart(outputs: outputs))] }

/// Tests when deferred outputs are prepared. They are prepared after the first preview frame was shown, so that
/// preparing them does not delay this frame.
@Suite struct DeferredStartTests {
  /// A state machine after a commit with the deferred output `photo`, whose trigger is the output `preview`.
  private func committed(automatic: Bool, running: Bool = true) -> DeferredStart {
    var machine = DeferredStart()
    _ = machine.commit(deferred: ["photo"], triggers: ["preview"], automatic: automatic, isRunning: running)
    return machine
  }

  /// Automatic deferred start runs when a reader of the preview was handed its first frame, once for each commit.
  @Test func automaticDeferredStartRunsAfterTheFirstSentFrame() {
    var machine = committed(automatic: true, running: false)
    #expect(machine.sessionStarted() == [])
    #expect(machine.frameSent(from: "preview", read: ["preview"]) == begins(["photo"], 1))
    #expect(machine.frameSent(from: "preview", read: ["preview"]) == [], "deferred start runs once for each commit")
    #expect(!machine.isOver)
    #expect(machine.ended(1, nil) == isReady(["photo"]))
    #expect(machine.isOver)
  }

  /// With readers of two outputs, deferred start runs when both have had a frame, in either order. An output that is no
  /// trigger does not count.
  @Test(
    "C6: automatic deferred start waits for the first frame of every output with readers",
    arguments: [["a", "b"], ["b", "a"]])
  func automaticDeferredStartWaitsForEveryOutputWithReaders(order: [String]) {
    var machine = DeferredStart()
    _ = machine.commit(deferred: ["photo"], triggers: ["a", "b"], automatic: true, isRunning: true)
    #expect(machine.frameSent(from: order[0], read: ["a", "b"]) == [])
    #expect(machine.frameSent(from: order[0], read: ["a", "b"]) == [])
    #expect(machine.frameSent(from: "c", read: ["a", "b", "c"]) == [])
    #expect(machine.frameSent(from: order[1], read: ["a", "b"]) == begins(["photo"], 1))
  }

  /// An output without readers sends no frame, so deferred start runs after the first frame of the outputs that have
  /// readers.
  @Test("C6: automatic deferred start does not wait for an output without readers")
  func automaticDeferredStartDoesNotWaitForAnOutputWithoutReaders() {
    var machine = DeferredStart()
    _ = machine.commit(deferred: ["photo"], triggers: ["preview", "data"], automatic: true, isRunning: true)
    #expect(machine.firstFrameCaptured() == [.armFallback])
    #expect(machine.frameSent(from: "preview", read: ["preview"]) == begins(["photo"], 1))
    #expect(machine.fallbackFired() == [])
  }

  /// A reader that takes no frame holds deferred start back only until the timer fires.
  @Test("C6: automatic deferred start waits for a reader that takes no frame until the limit")
  func automaticDeferredStartWaitsForAStuckReaderUntilTheLimit() {
    var machine = DeferredStart()
    _ = machine.commit(deferred: ["photo"], triggers: ["preview", "data"], automatic: true, isRunning: true)
    #expect(machine.firstFrameCaptured() == [.armFallback])
    #expect(machine.frameSent(from: "preview", read: ["preview", "data"]) == [])
    #expect(machine.fallbackFired() == begins(["photo"], 1))
  }

  /// A commit that finds every deferred camera open has nothing to run. After a stop these cameras are closed again.
  @Test func aStopClosesTheDeferredCamerasOfEachCommit() {
    var machine = DeferredStart()
    #expect(
      machine.commit(deferred: [], cameras: true, areClosed: false, triggers: [], automatic: false, isRunning: true)
        == [])
    #expect(machine.isOver && machine.run() == [])
    machine.sessionStopped()
    #expect(machine.sessionStarted() == [] && !machine.isOver)
    #expect(machine.run() == begins([], 1))
  }

  /// A frame that one output sent before the start returned counts. If another output has readers and has sent none,
  /// the timer is started; else deferred start runs.
  @Test func framesSentBeforeTheStartReturnedCountForOutputsWithReaders() {
    let expected: [(read: Set<String>, actions: [DeferredStart.Action])] = [
      (["a"], begins(["photo"], 1)), (["a", "b"], [.armFallback]),
    ]
    for (read, actions) in expected {
      var machine = DeferredStart()
      _ = machine.commit(deferred: ["photo"], triggers: ["a", "b"], automatic: true, isRunning: false)
      #expect(machine.frameSent(from: "a", read: read) == [])
      #expect(machine.sessionStarted(hasFrame: true, read: read) == actions)
    }
  }

  /// When the only trigger sent its frame before the start returned, deferred start runs as soon as the session runs.
  @Test func aFrameSentBeforeTheStartReturnedCounts() {
    var machine = committed(automatic: true, running: false)
    #expect(machine.firstFrameCaptured() == [])
    #expect(machine.frameSent(from: "preview", read: ["preview"]) == [], "the session does not run yet")
    #expect(machine.sessionStarted(hasFrame: true, read: ["preview"]) == begins(["photo"], 1))
  }

  /// Without any reader, the first frame of the camera starts the timer, and deferred start runs once when it fires.
  @Test func automaticDeferredStartRunsWithoutReaders() {
    var machine = committed(automatic: true)
    #expect(machine.firstFrameCaptured() == [.armFallback])
    #expect(machine.fallbackFired() == begins(["photo"], 1))
    #expect(machine.fallbackFired() == [])
  }

  /// When every output that streams to readers is deferred, no preview frame can come first, so deferred start runs
  /// with the first frame of the camera.
  @Test func automaticDeferredStartRunsAtOnceWithoutTriggers() {
    var machine = DeferredStart()
    _ = machine.commit(deferred: ["preview"], triggers: [], automatic: true, isRunning: true)
    #expect(machine.firstFrameCaptured() == begins(["preview"], 1))
  }

  /// When the first frame of the camera came before the commit or before the start returned, the timer starts at once,
  /// because no further first frame will come.
  @Test func theTimerStartsForAStreamThatBeganBefore() {
    var added = DeferredStart()
    #expect(
      added.commit(deferred: ["photo"], triggers: ["preview"], automatic: true, isRunning: true, hasFrame: true)
        == [.armFallback], "the stream's first frame will not come again")
    #expect(added.fallbackFired() == begins(["photo"], 1))

    var started = committed(automatic: true, running: false)
    #expect(started.firstFrameCaptured() == [], "the start has not returned yet")
    #expect(started.sessionStarted(hasFrame: true) == [.armFallback])
  }

  /// Manual deferred start runs only when a client asks for it, and only once. Frames and the timer do not trigger it.
  @Test func manualDeferredStartWaitsForTheRequest() {
    var machine = committed(automatic: false)
    #expect(machine.firstFrameCaptured() == [])
    #expect(machine.frameSent(from: "preview", read: ["preview"]) == [])
    #expect(machine.fallbackFired() == [])
    #expect(machine.run() == begins(["photo"], 1))
    #expect(machine.run() == [])
    #expect(machine.ended(1, nil) == isReady(["photo"]))
    #expect(machine.run() == [])
  }

  /// After deferred start ran, a commit without new deferred outputs leaves nothing to prepare, and a commit with one
  /// prepares that one alone.
  @Test func aCommitDefersOnlyTheOutputsThatItAdded() {
    var machine = committed(automatic: false)
    _ = machine.run()
    _ = machine.ended(1, nil)
    _ = machine.commit(deferred: [], triggers: ["preview"], automatic: false, isRunning: true)
    #expect(machine.isOver)
    #expect(machine.run() == [])
    _ = machine.commit(deferred: ["photo2"], triggers: ["preview"], automatic: false, isRunning: true)
    #expect(machine.run() == begins(["photo2"], 2))
  }

  /// When a session stops before deferred start ran, the timer of the former start has no effect, and deferred start
  /// runs after the first frame of the next start.
  @Test func aStopBeforeDeferredStartRanMakesItWaitForTheNextStart() {
    var machine = committed(automatic: true)
    #expect(machine.firstFrameCaptured() == [.armFallback])
    machine.sessionStopped()
    #expect(machine.fallbackFired() == [], "a timer from before the stop does nothing")
    #expect(machine.frameSent(from: "former", read: ["former"]) == [])
    _ = machine.sessionStarted()
    #expect(machine.frameSent(from: "preview", read: ["preview"]) == begins(["photo"], 1))
  }

  /// A stop breaks a run off: its end is not reported, and the next start runs deferred start again.
  @Test func aStopDuringDeferredStartReportsNothingAndRepeatsIt() {
    var machine = committed(automatic: true)
    #expect(machine.frameSent(from: "preview", read: ["preview"]) == begins(["photo"], 1))
    machine.sessionStopped()
    #expect(machine.ended(1, nil) == [], "the end of a run that was broken off is not reported")
    _ = machine.sessionStarted()
    #expect(machine.frameSent(from: "preview", read: ["preview"]) == begins(["photo"], 2))
    #expect(machine.ended(2, nil) == isReady(["photo"]))
  }

  /// Outputs that are prepared stay prepared over a stop, so that the next start prepares nothing.
  @Test func aStopAfterDeferredStartRanChangesNothing() {
    var machine = committed(automatic: true)
    _ = machine.frameSent(from: "preview", read: ["preview"])
    _ = machine.ended(1, nil)
    machine.sessionStopped()
    #expect(machine.sessionStarted(hasFrame: true) == [])
    #expect(machine.isOver)
  }

  /// After a failure, deferred start reports the error and does not run by itself again, because it could fail over and
  /// over. A request runs it again.
  @Test func aFailedDeferredStartIsReportedAndWaitsForARequest() {
    let error = CaptureError(.processingFailed, "no thread")
    var machine = committed(automatic: true)
    _ = machine.frameSent(from: "preview", read: ["preview"])
    #expect(machine.ended(1, error) == [.emit(.runtimeError(error, input: nil))])
    #expect(machine.firstFrameCaptured() == [], "deferred start does not run by itself after a failure")
    #expect(machine.run() == begins(["photo"], 2))
    #expect(machine.ended(2, nil) == isReady(["photo"]))
  }

  /// After a stop and a start, deferred start runs by itself again although it had failed before.
  @Test func aFailedDeferredStartRunsAgainAfterARestart() {
    var machine = committed(automatic: true)
    _ = machine.frameSent(from: "preview", read: ["preview"])
    _ = machine.ended(1, CaptureError(.processingFailed, "no thread"))
    machine.sessionStopped()
    _ = machine.sessionStarted()
    #expect(machine.frameSent(from: "preview", read: ["preview"]) == begins(["photo"], 2))
  }
}
