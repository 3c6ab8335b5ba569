import Testing

@testable import Locking

@Suite(.timeLimit(.minutes(1))) struct BroadcastTests {
  @Test func tellsEveryWatcherInOrder() async {
    let broadcast = Broadcast<Int>(depth: 4)
    let watches = [broadcast.watch(), broadcast.watch()]
    for number in 1...3 { broadcast.tell(number) }
    broadcast.end()
    for watch in watches { #expect(await watch.reduce(into: []) { $0.append($1) } == [1, 2, 3]) }
  }

  @Test func aSlowWatcherLosesTheOldest() async {
    let broadcast = Broadcast<Int>(depth: 2)
    let watch = broadcast.watch()
    for number in 1...5 { broadcast.tell(number) }
    broadcast.end()
    #expect(await watch.reduce(into: []) { $0.append($1) } == [4, 5])
  }

  @Test func aWatcherWhoComesAfterTheEndGetsNothing() async {
    let broadcast = Broadcast<Int>(depth: 1)
    broadcast.end()
    #expect(await broadcast.watch().first { _ in true } == nil)
  }

  @Test func aWatcherSeesWhatConcernsItAndWhatWasBefore() async {
    let broadcast = Broadcast<Int>(depth: 8)
    let even = broadcast.watchPart(beginningWith: "start") { $0.isMultiple(of: 2) ? "\($0)" : nil }
    for number in 1...4 { broadcast.tell(number) }
    broadcast.end()
    #expect(await even.reduce(into: []) { $0.append($1) } == ["start", "2", "4"])
    let late = broadcast.watchPart(beginningWith: "last") { "\($0)" }
    #expect(await late.reduce(into: []) { $0.append($1) } == ["last"])
  }

  @Test func endsWithItsOwner() async {
    var broadcast: Broadcast<Int>? = Broadcast(depth: 1)
    let watch = broadcast!.watch()
    broadcast = nil
    #expect(await watch.first { _ in true } == nil)
  }

  @Test func oneWatchEndsAlone() async {
    let broadcast = Broadcast<Int>(depth: 2)
    let (watch, end) = broadcast.endableWatch()
    let other = broadcast.watch()
    broadcast.tell(1)
    end()
    broadcast.tell(2)
    #expect(await watch.reduce(into: []) { $0.append($1) } == [1])
    #expect(await other.prefix(2).reduce(into: []) { $0.append($1) } == [1, 2])
  }

  @Test func noticesThatTheLastWatcherHasGone() async {
    let broadcast = Broadcast<Int>(depth: 1)
    let (gone, left) = AsyncStream.makeStream(of: Bool.self)
    var watch: AsyncStream<Int>? = broadcast.watch { [weak broadcast] in left.yield(broadcast?.isWatched ?? true) }
    #expect(broadcast.isWatched)
    _ = watch
    watch = nil
    #expect(await gone.first { _ in true } == false)
  }

  /// Yielding under a lock that a cancellation handler wants stops Swift's pool for ever: the thread that yields waits
  /// for the lock of the task, which the thread that cancels holds while it waits for ours.
  @Test func manyWatchersBreakOffWhileTheyAreToldUnderALock() async {
    let owner = Owner()
    await withDiscardingTaskGroup { group in
      for _ in 0..<4 {
        group.addTask { for _ in 0..<2000 { owner.change() } }
        group.addTask {
          for _ in 0..<500 {
            let watcher = Task { for await _ in owner.values() {} }
            await Task.yield()
            watcher.cancel()
            await watcher.value
          }
        }
      }
    }
    #expect(owner.value == 8000)
  }

  private final class Owner: Sendable {
    private let state = Locked(0)
    private let changed = Broadcast<Void>(depth: 1)

    var value: Int { state.withLock { $0 } }

    func change() {
      state.withLock { state in
        state += 1
        changed.tell()
      }
    }

    func values() -> NewestValues<Int> {
      NewestValues(of: changed.watch { [self] in state.withLock { _ in } }) { [self] in value }
    }
  }
}
