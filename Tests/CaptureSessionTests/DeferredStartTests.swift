import Testing

@testable import CaptureSession

@Suite struct DeferredStartTests {
  private func committed(automatic: Bool, running: Bool = true) -> DeferredStart {
    var machine = DeferredStart()
    _ = machine.commit(deferred: ["photo"], triggers: ["preview"], automatic: automatic, isRunning: running)
    return machine
  }

  @Test func automaticRunsAfterTheFirstFrameSent() {
    var machine = committed(automatic: true, running: false)
    #expect(machine.frameSent(from: "preview") == [], "not running yet")
    #expect(machine.sessionStarted() == [])
    #expect(machine.frameSent(from: "preview") == [.run(["photo"])])
    #expect(machine.frameSent(from: "preview") == [], "once per commit")
  }

  @Test func automaticWaitsForEveryStreamingOutput() {
    var machine = DeferredStart()
    _ = machine.commit(deferred: ["photo"], triggers: ["a", "b"], automatic: true, isRunning: true)
    #expect(machine.frameSent(from: "a") == [])
    #expect(machine.frameSent(from: "a") == [])
    #expect(machine.frameSent(from: "b") == [.run(["photo"])])
  }

  @Test func automaticRunsWithoutAReader() {
    var machine = committed(automatic: true)
    #expect(machine.firstFrameCaptured() == [.armFallback])
    #expect(machine.fallbackFired() == [.run(["photo"])])
    #expect(machine.fallbackFired() == [])
  }

  @Test func automaticRunsWithoutAReaderInAStreamThatBeganBefore() {
    var added = DeferredStart()
    #expect(
      added.commit(deferred: ["photo"], triggers: ["preview"], automatic: true, isRunning: true, hasFrame: true)
        == [.armFallback], "its first frame will not come again")
    #expect(added.fallbackFired() == [.run(["photo"])])

    var started = committed(automatic: true, running: false)
    #expect(started.firstFrameCaptured() == [], "before the device said that it streams")
    #expect(started.sessionStarted(hasFrame: true) == [.armFallback])
  }

  @Test func manualWaitsForTheCall() {
    var machine = committed(automatic: false)
    #expect(machine.firstFrameCaptured() == [])
    #expect(machine.frameSent(from: "preview") == [])
    #expect(machine.fallbackFired() == [])
    #expect(machine.run() == [.run(["photo"])])
    #expect(machine.run() == [])
  }

  @Test func aCommitArmsAgainOnlyWhatItAdded() {
    var machine = committed(automatic: false)
    _ = machine.run()
    _ = machine.commit(deferred: [], triggers: ["preview"], automatic: false, isRunning: true)
    #expect(!machine.isWaiting)
    #expect(machine.run() == [])
    _ = machine.commit(deferred: ["photo2"], triggers: ["preview"], automatic: false, isRunning: true)
    #expect(machine.run() == [.run(["photo2"])])
  }

  @Test func stoppingBeforeItRanArmsAgain() {
    var machine = committed(automatic: true)
    machine.sessionStopped()
    #expect(machine.fallbackFired() == [], "a timer from before the stop does nothing")
    _ = machine.sessionStarted()
    #expect(machine.frameSent(from: "preview") == [.run(["photo"])])
  }
}
