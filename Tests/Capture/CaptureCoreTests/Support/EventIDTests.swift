import Testing

@testable import CaptureCore

@Suite struct EventIDTests {
  @Test func anIDGivesItsNumberBack() throws {
    let log = EventLog<Int>()
    for number in [0, 1, 1 << 40, UInt64.max] {
      #expect(try log.number(of: log.eventID(number)) == number)
    }
  }

  @Test func idsOfAnotherLogAreLost() {
    let (log, other) = (EventLog<Int>(), EventLog<Int>())
    for id in [
      other.eventID(1), "1", "", "-1", "\(log.eventID(1))-1", log.eventID(1) + "x", String(repeating: "x", count: 9000),
    ] {
      let error = #expect(throws: CaptureError.self) { try log.number(of: id) }
      #expect(error?.reason == .eventsLost)
      #expect((error?.message.utf8.count ?? 0) < 300)
    }
  }

  @Test func keptEventsAreReadAtOnce() throws {
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

  @Test func tokensDiffer() {
    let tokens = Set((0..<100).map { _ in RandomToken.make() })
    #expect(tokens.count == 100)
    #expect(tokens.allSatisfy { $0.utf8.count == 32 })
    #expect(RandomToken.make(words: 1).utf8.count == 16)
  }
}
