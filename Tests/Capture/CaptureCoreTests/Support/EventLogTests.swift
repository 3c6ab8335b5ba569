import Testing

@testable import CaptureCore

/// Tests how watchers read a log of events.
@Suite struct EventLogTests {
  /// Two watchers that read at the same time each get all events, in order and without a gap.
  @Test func everyWatcherSeesEveryEventInOrder() async throws {
    let log = EventLog<Int>()
    async let first = collect(log, 100)
    async let second = collect(log, 100)
    for number in 1...100 { log.append(number) }
    #expect(try await first == Array(1...100))
    #expect(try await second == Array(1...100))
  }

  /// Reads the first `count` events of the log, as a watcher does, and checks that their numbers have no gap.
  private func collect(_ log: EventLog<Int>, _ count: Int) async throws -> [Int] {
    var position: UInt64 = 0
    var seen: [Int] = []
    while seen.count < count {
      let entry = try await log.entry(after: position)
      #expect(entry.id == position + 1)
      position = entry.id
      seen.append(entry.payload)
    }
    return seen
  }

  /// A watcher that falls behind by more than the log keeps gets an error instead of a gap that it cannot notice. The
  /// oldest event that is kept can still be read.
  @Test func aWatcherThatFallsBehindGetsAnError() async {
    let log = EventLog<Int>(capacity: 4)
    for number in 1...10 { log.append(number) }
    await #expect(throws: CaptureError.self) { try await log.entry(after: 5) }
    let oldest = try? await log.entry(after: 6)
    #expect(oldest?.payload == 7)
  }

  /// A number above the newest event is refused with `eventsLost`, because a watcher would otherwise wait for an event
  /// that need not come.
  @Test func refusesANumberItNeverGave() async {
    let log = EventLog<Int>()
    await #expect {
      try await log.entry(after: 3)
    } throws: {
      ($0 as? CaptureError)?.reason == .eventsLost
    }
  }

  /// A watcher still reads the events from before the end, and then gets the error of the end. The log adds no event
  /// after its end.
  @Test func theEndComesAfterTheEventsThatAreThere() async throws {
    let log = EventLog<Int>()
    log.append(1)
    log.end(CaptureError(.sessionNotFound, "deleted"))
    log.append(2)
    #expect(try await log.entry(after: 0).payload == 1)
    await #expect {
      try await log.entry(after: 1)
    } throws: {
      ($0 as? CaptureError)?.reason == .sessionNotFound
    }
  }

  /// A watcher that waits for an event gets the error when the log ends.
  @Test func theEndOfTheLogWakesAWaitingWatcher() async {
    let log = EventLog<Int>()
    let waiting = Task { try await log.entry(after: 0) }
    log.end(CaptureError(.shuttingDown, "bye"))
    await #expect(throws: CaptureError.self) { try await waiting.value }
  }

  @Test func cancellationEndsTheWaitForAnEvent() async {
    let log = EventLog<Int>()
    let waiting = Task { try await log.entry(after: 0) }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
  }
}
