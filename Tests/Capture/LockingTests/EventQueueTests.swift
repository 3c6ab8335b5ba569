import Testing

@testable import Locking

@Suite(.timeLimit(.minutes(1))) struct EventQueueTests {
  @Test func givesEveryEventInOrderAndThenEnds() async {
    let queue = EventQueue<Int>(depth: 8)
    for number in 1...3 { queue.put(number) }
    queue.end()
    queue.put(4)
    #expect(await queue.reduce(into: []) { $0.append($1) } == [1, 2, 3])
  }

  @Test func leavesOutWhatHasNoRoom() async {
    let queue = EventQueue<Int>(depth: 2)
    for number in 1...3 { queue.put(number) }
    queue.end()
    #expect(await queue.reduce(into: []) { $0.append($1) } == [1, 2])
  }

  @Test func keepsTheOrderInWhichTheyWerePutUnderALock() async {
    let queue = EventQueue<Int>(depth: 4000)
    let numbers = Numbers()
    await withDiscardingTaskGroup { group in
      for _ in 0..<4 { group.addTask { for _ in 0..<1000 { numbers.putNext(into: queue) } } }
    }
    queue.end()
    #expect(await queue.reduce(into: []) { $0.append($1) } == Array(1...4000))
  }

  private final class Numbers: Sendable {
    private let newest = Locked(0)

    func putNext(into queue: EventQueue<Int>) {
      newest.withLock { number in
        number += 1
        queue.put(number)
      }
    }
  }

  @Test func aCancelledConsumerWaitsNoLonger() async {
    let queue = EventQueue<Int>(depth: 1)
    let consumer = Task { for await _ in queue {} }
    consumer.cancel()
    await consumer.value
  }
}
