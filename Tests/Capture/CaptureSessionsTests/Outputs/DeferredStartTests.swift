import CaptureCore
import Testing

@testable import CaptureSessions

/// What a run of these outputs asks for.
private func begins(_ outputs: [String], _ run: Int) -> [DeferredStart.Action] {
  [.emit(.willRunDeferredStart(outputs: outputs)), .prepare(outputs, run: run)]
}

private func isReady(_ outputs: [String]) -> [DeferredStart.Action] { [.emit(.didRunDeferredStart(outputs: outputs))] }

@Suite struct DeferredStartTests {
  private func committed(automatic: Bool, running: Bool = true) -> DeferredStart {
    var machine = DeferredStart()
    _ = machine.commit(deferred: ["photo"], triggers: ["preview"], automatic: automatic, isRunning: running)
    return machine
  }

  @Test func automaticRunsAfterTheFirstFrameSent() {
    var machine = committed(automatic: true, running: false)
    #expect(machine.sessionStarted() == [])
    #expect(machine.frameSent(from: "preview", read: ["preview"]) == begins(["photo"], 1))
    #expect(machine.frameSent(from: "preview", read: ["preview"]) == [], "once per commit")
    #expect(!machine.isOver)
    #expect(machine.ended(1, nil) == isReady(["photo"]))
    #expect(machine.isOver)
  }

  @Test("C6: with two streams that are read it runs after both", arguments: [["a", "b"], ["b", "a"]])
  func automaticWaitsForEveryStreamThatIsRead(order: [String]) {
    var machine = DeferredStart()
    _ = machine.commit(deferred: ["photo"], triggers: ["a", "b"], automatic: true, isRunning: true)
    #expect(machine.frameSent(from: order[0], read: ["a", "b"]) == [])
    #expect(machine.frameSent(from: order[0], read: ["a", "b"]) == [])
    #expect(machine.frameSent(from: "c", read: ["a", "b", "c"]) == [])
    #expect(machine.frameSent(from: order[1], read: ["a", "b"]) == begins(["photo"], 1))
  }

  @Test("C6: an output that nobody reads is not waited for") func automaticDoesNotWaitForAnUnreadOutput() {
    var machine = DeferredStart()
    _ = machine.commit(deferred: ["photo"], triggers: ["preview", "data"], automatic: true, isRunning: true)
    #expect(machine.firstFrameCaptured() == [.armFallback])
    #expect(machine.frameSent(from: "preview", read: ["preview"]) == begins(["photo"], 1))
    #expect(machine.fallbackFired() == [])
  }

  @Test("C6: a reader that takes no frame is waited for until the limit")
  func automaticWaitsForAStuckReaderUntilTheLimit() {
    var machine = DeferredStart()
    _ = machine.commit(deferred: ["photo"], triggers: ["preview", "data"], automatic: true, isRunning: true)
    #expect(machine.firstFrameCaptured() == [.armFallback])
    #expect(machine.frameSent(from: "preview", read: ["preview", "data"]) == [])
    #expect(machine.fallbackFired() == begins(["photo"], 1))
  }

  @Test func framesSentBeforeTheStartReturnedCountForThoseWhoRead() {
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

  @Test func aFrameSentBeforeTheStartReturnedCounts() {
    var machine = committed(automatic: true, running: false)
    #expect(machine.firstFrameCaptured() == [])
    #expect(machine.frameSent(from: "preview", read: ["preview"]) == [], "not running yet")
    #expect(machine.sessionStarted(hasFrame: true, read: ["preview"]) == begins(["photo"], 1))
  }

  @Test func automaticRunsWithoutAReader() {
    var machine = committed(automatic: true)
    #expect(machine.firstFrameCaptured() == [.armFallback])
    #expect(machine.fallbackFired() == begins(["photo"], 1))
    #expect(machine.fallbackFired() == [])
  }

  @Test func automaticNeedNotWaitWhenNothingUndeferredStreams() {
    var machine = DeferredStart()
    _ = machine.commit(deferred: ["preview"], triggers: [], automatic: true, isRunning: true)
    #expect(machine.firstFrameCaptured() == begins(["preview"], 1))
  }

  @Test func automaticRunsWithoutAReaderInAStreamThatBeganBefore() {
    var added = DeferredStart()
    #expect(
      added.commit(deferred: ["photo"], triggers: ["preview"], automatic: true, isRunning: true, hasFrame: true)
        == [.armFallback], "its first frame will not come again")
    #expect(added.fallbackFired() == begins(["photo"], 1))

    var started = committed(automatic: true, running: false)
    #expect(started.firstFrameCaptured() == [], "before the device said that it streams")
    #expect(started.sessionStarted(hasFrame: true) == [.armFallback])
  }

  @Test func manualWaitsForTheCall() {
    var machine = committed(automatic: false)
    #expect(machine.firstFrameCaptured() == [])
    #expect(machine.frameSent(from: "preview", read: ["preview"]) == [])
    #expect(machine.fallbackFired() == [])
    #expect(machine.run() == begins(["photo"], 1))
    #expect(machine.run() == [])
    #expect(machine.ended(1, nil) == isReady(["photo"]))
    #expect(machine.run() == [])
  }

  @Test func aCommitArmsAgainOnlyWhatItAdded() {
    var machine = committed(automatic: false)
    _ = machine.run()
    _ = machine.ended(1, nil)
    _ = machine.commit(deferred: [], triggers: ["preview"], automatic: false, isRunning: true)
    #expect(machine.isOver)
    #expect(machine.run() == [])
    _ = machine.commit(deferred: ["photo2"], triggers: ["preview"], automatic: false, isRunning: true)
    #expect(machine.run() == begins(["photo2"], 2))
  }

  @Test func stoppingBeforeItRanArmsAgain() {
    var machine = committed(automatic: true)
    #expect(machine.firstFrameCaptured() == [.armFallback])
    machine.sessionStopped()
    #expect(machine.fallbackFired() == [], "a timer from before the stop does nothing")
    #expect(machine.frameSent(from: "former", read: ["former"]) == [])
    _ = machine.sessionStarted()
    #expect(machine.frameSent(from: "preview", read: ["preview"]) == begins(["photo"], 1))
  }

  @Test func stoppingBeforeItIsReadyArmsAgainAndTellsNothing() {
    var machine = committed(automatic: true)
    #expect(machine.frameSent(from: "preview", read: ["preview"]) == begins(["photo"], 1))
    machine.sessionStopped()
    #expect(machine.ended(1, nil) == [], "of a run that was broken off")
    _ = machine.sessionStarted()
    #expect(machine.frameSent(from: "preview", read: ["preview"]) == begins(["photo"], 2))
    #expect(machine.ended(2, nil) == isReady(["photo"]))
  }

  @Test func afterItRanAStopChangesNothing() {
    var machine = committed(automatic: true)
    _ = machine.frameSent(from: "preview", read: ["preview"])
    _ = machine.ended(1, nil)
    machine.sessionStopped()
    #expect(machine.sessionStarted(hasFrame: true) == [])
    #expect(machine.isOver)
  }

  @Test func whatFailedIsToldAndWaitsForARequest() {
    let error = CaptureError(.processingFailed, "no thread")
    var machine = committed(automatic: true)
    _ = machine.frameSent(from: "preview", read: ["preview"])
    #expect(machine.ended(1, error) == [.emit(.runtimeError(error))])
    #expect(machine.firstFrameCaptured() == [], "it would fail over and over")
    #expect(machine.run() == begins(["photo"], 2))
    #expect(machine.ended(2, nil) == isReady(["photo"]))
  }

  @Test func whatFailedStartsAgainWithTheSession() {
    var machine = committed(automatic: true)
    _ = machine.frameSent(from: "preview", read: ["preview"])
    _ = machine.ended(1, CaptureError(.processingFailed, "no thread"))
    machine.sessionStopped()
    _ = machine.sessionStarted()
    #expect(machine.frameSent(from: "preview", read: ["preview"]) == begins(["photo"], 2))
  }
}
