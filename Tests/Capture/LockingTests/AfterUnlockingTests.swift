import Testing

@testable import Locking

@Suite struct AfterUnlockingTests {
  @Test func runsAtOnceWithoutALock() {
    var log: [Int] = []
    afterUnlocking { log.append(1) }
    #expect(log == [1])
  }

  @Test func runsInOrderOnceTheOutermostLockIsReleased() {
    let outer = Locked(())
    let inner = Locked(())
    let log = Log()
    outer.withLock { _ in
      afterUnlocking { log.add("first") }
      inner.withLock { _ in afterUnlocking { log.add("second") } }
      log.add("unlocks")
    }
    #expect(log.lines == ["unlocks", "first", "second"])
  }

  @Test func workThatPutsOffMoreWorkUnderALockRunsBoth() {
    let lock = Locked(())
    let log = Log()
    lock.withLock { _ in
      afterUnlocking {
        lock.withLock { _ in afterUnlocking { log.add("second") } }
        log.add("first")
      }
    }
    #expect(log.lines == ["second", "first"])
  }

  @Test func runsWhenTheLockIsLeftByAnError() {
    struct Failure: Error {}
    let lock = Locked(())
    let log = Log()
    #expect(throws: Failure.self) {
      try lock.withLock { _ in
        afterUnlocking { log.add("done") }
        throw Failure()
      }
    }
    #expect(log.lines == ["done"])
  }

  /// Of one thread alone.
  private final class Log: @unchecked Sendable {
    var lines: [String] = []
    func add(_ line: String) { lines.append(line) }
  }
}
