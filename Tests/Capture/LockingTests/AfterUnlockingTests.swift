import CLocking
import Glibc
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

  @Test func letsGoOfWorkThatHasRun() {
    let lock = Locked(())
    var log: Log? = Log()
    weak let held = log
    lock.withLock { _ in afterUnlocking { [log] in log?.add("done") } }
    #expect(held?.lines == ["done"])
    log = nil
    #expect(held == nil)
  }

  @Test func aThreadReleasesItsListWhenItEnds() {
    final class Kept: @unchecked Sendable { weak var list: PutOffWork? }
    let kept = Kept()
    var thread = pthread_t()
    let started = pthread_create(
      &thread, nil,
      { argument in
        let lock = Locked(())
        lock.withLock { _ in afterUnlocking {} }
        Unmanaged<Kept>.fromOpaque(argument!).takeUnretainedValue().list =
          Unmanaged<PutOffWork>.fromOpaque(CLocking_list()).takeUnretainedValue()
        return nil
      }, Unmanaged.passUnretained(kept).toOpaque())
    #expect(started == 0)
    pthread_join(thread, nil)
    #expect(kept.list == nil)
  }

  /// Of one thread alone.
  private final class Log: @unchecked Sendable {
    var lines: [String] = []
    func add(_ line: String) { lines.append(line) }
  }
}
