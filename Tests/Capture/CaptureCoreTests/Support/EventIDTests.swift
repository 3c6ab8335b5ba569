import Testing

@testable import CaptureCore

/// Tests the ids of events, with which a client that connects again asks for the events that it missed.
@Suite struct EventIDTests {
  /// The log finds the number of an event in the id that it made, for every number.
  @Test func anIDConvertsBackToItsNumber() throws {
    let log = EventLog<Int>()
    for number in [0, 1, 1 << 40, UInt64.max] {
      #expect(try log.number(of: log.eventID(number)) == number)
    }
  }

  /// An id of another log, or a text that is no id, is refused with `eventsLost`, so that a client learns that it
  /// missed events. The error stays short even when the client sent a long text.
  @Test func idsFromAnotherLogAreRefused() {
    let (log, other) = (EventLog<Int>(), EventLog<Int>())
    for id in [
      other.eventID(1), "1", "", "-1", "\(log.eventID(1))-1", log.eventID(1) + "x", String(repeating: "x", count: 9000),
    ] {
      let error = #expect(throws: CaptureError.self) { try log.number(of: id) }
      #expect(error?.reason == .eventsLost)
      #expect((error?.message.utf8.count ?? 0) < 300)
    }
  }

  /// `entries(after:)` returns all events after a number without waiting. A number whose following events are not all
  /// kept, and a number that the log never gave, are refused with `eventsLost`.
  @Test func entriesReturnsTheKeptEventsWithoutWaiting() throws {
    let log = EventLog<Int>(capacity: 3)
    #expect(try log.entries(after: 0).isEmpty)
    for number in 1...5 { log.append(number) }
    #expect(try log.entries(after: 2).map(\.payload) == [3, 4, 5])
    #expect(try log.entries(after: 4).map(\.id) == [5])
    #expect(try log.entries(after: 5).isEmpty)
    for number in [0, 1, 6] as [UInt64] {
      #expect(#expect(throws: CaptureError.self) { try log.entries(after: number) }?.reason == .eventsLost)
    }
    #expect(log.entry(2) == nil)
    #expect(log.entry(3)?.payload == 3)
    #expect(log.entry(6) == nil)
  }

  /// Random tokens are unique and have 16 characters for each word of 64 bits; the default is two words.
  @Test func randomTokensDifferAndHaveAFixedLength() {
    let tokens = Set((0..<100).map { _ in RandomToken.make() })
    #expect(tokens.count == 100)
    #expect(tokens.allSatisfy { $0.utf8.count == 32 })
    #expect(RandomToken.make(words: 1).utf8.count == 16)
  }
}
