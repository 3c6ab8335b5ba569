import Testing

@testable import SystemWatchdog

@Suite struct PoolWatchTests {
  var watch = PoolWatch(patience: 3, grace: 2)

  @Test mutating func asksAgainOnceThePoolHasAnswered() {
    #expect(watch.tick() == [.tellAlive, .ask(1)])
    watch.note(answer: 1)
    #expect(watch.tick() == [.tellAlive, .ask(2)])
    #expect(!watch.isStuck)
  }

  @Test mutating func aPoolThatDoesNotAnswerIsReportedOnceAndThenGivenUp() {
    _ = watch.tick()
    #expect(watch.tick() == [] && watch.tick() == [])
    #expect(watch.tick() == [.reportStuck])
    #expect(watch.isStuck)
    #expect(watch.tick() == [])
    #expect(watch.tick() == [.giveUp])
    #expect(watch.tick() == [])
  }

  @Test mutating func theServiceManagerEndsADaemonThatItWatches() {
    watch = PoolWatch(patience: 1, grace: nil)
    _ = watch.tick()
    #expect(watch.tick() == [.reportStuck])
    for _ in 0..<100 { #expect(watch.tick() == []) }
  }

  @Test mutating func aPoolThatAnswersLateRunsAgain() {
    for _ in 0...3 { _ = watch.tick() }
    watch.note(answer: 1)
    #expect(watch.tick() == [.reportRecovery, .tellAlive, .ask(2)])
    #expect(!watch.isStuck)
    #expect(watch.tick() == [])
  }
}
