import Testing

@testable import CaptureCore

@Suite struct EventLogTests {
  @Test func everyWatcherSeesEveryEventInOrder() async throws {
    let log = EventLog<Int>()
    async let first = collect(log, 100)
    async let second = collect(log, 100)
    for number in 1...100 { log.append(number) }
    #expect(try await first == Array(1...100))
    #expect(try await second == Array(1...100))
  }

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

  @Test func tellsThatEventsWereLost() async {
    let log = EventLog<Int>(capacity: 4)
    for number in 1...10 { log.append(number) }
    await #expect(throws: CaptureError.self) { try await log.entry(after: 5) }
    let oldest = try? await log.entry(after: 6)
    #expect(oldest?.payload == 7)
  }

  @Test func refusesANumberItNeverGave() async {
    let log = EventLog<Int>()
    await #expect {
      try await log.entry(after: 3)
    } throws: {
      ($0 as? CaptureError)?.reason == .eventsLost
    }
  }

  @Test func endsAfterWhatIsThere() async throws {
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

  @Test func endWakesAWaitingWatcher() async {
    let log = EventLog<Int>()
    let waiting = Task { try await log.entry(after: 0) }
    log.end(CaptureError(.shuttingDown, "bye"))
    await #expect(throws: CaptureError.self) { try await waiting.value }
  }

  @Test func cancellationEndsTheWait() async {
    let log = EventLog<Int>()
    let waiting = Task { try await log.entry(after: 0) }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
  }
}
