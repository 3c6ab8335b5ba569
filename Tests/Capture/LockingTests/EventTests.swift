import Testing

@testable import Locking

@Suite(.timeLimit(.minutes(1))) struct EventTests {
  @Test func letsAllWhoWaitGoOn() async {
    let event = Event<Int>()
    #expect(event.valueIfHappened == nil)
    async let (first, second) = (event.value, event.value)
    event.happen(7)
    #expect(await [first, second] == [7, 7])
    #expect(await event.value == 7)
  }

  @Test func happensOnce() async {
    let event = Event<Int>()
    #expect(event.happen(1))
    #expect(!event.happen(2))
    #expect(await event.value == 1)
    #expect(event.valueIfHappened == 1)
  }

  /// Debug builds end a process that wakes a task under a lock.
  @Test func mayHappenUnderALock() async {
    let event = Event<Void>()
    let state = Locked(0)
    async let waiting: Void = event.wait()
    state.withLock { state in
      event.happen()
      state = 1
    }
    await waiting
  }
}
