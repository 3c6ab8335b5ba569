import CGRPCTestClient
import Testing

/// What one connection may cost, as values.
struct BudgetTests {
  @Test func asManyCallsAsAtOnceAndThenAsManyASecond() {
    let budget = TestBudget()
    for _ in 0..<1000 { #expect(budget.openCall() == .within) }
    #expect(budget.openCall() == .refuse)
    budget.now = 1.1
    // The surplus call was counted, too.
    for _ in 0..<10 { #expect(budget.openCall() == .within) }
    #expect(budget.openCall() == .refuse)
  }

  @Test func twiceAsManyCallsCut() {
    let budget = TestBudget()
    let verdicts = (0..<2001).map { _ in budget.openCall() }
    #expect(verdicts[1000..<2000].allSatisfy { $0 == .refuse })
    #expect(verdicts[2000] == .cut)
  }

  @Test func callsThatAreResetBeforeTheyEndCut() {
    let budget = TestBudget()
    #expect(budget.openCall(alive: 200) == .within)
    #expect(budget.openCall(alive: 201) == .cut)
  }

  @Test func withoutALimitOfCallsOnlyThoseThatLiveCount() {
    var limits = TestBudget.limits
    limits.calls_per_second = 0
    let budget = TestBudget(limits)
    for _ in 0..<10_000 { #expect(budget.openCall() == .within) }
    #expect(budget.openCall(alive: 201) == .cut)
  }

  @Test func messagesCallsAndAcknowledgementsAccountForBytes() {
    let budget = TestBudget()
    var seen = traffic()
    for _ in 0..<1000 {
      budget.now += 0.05
      seen.received += 5_000_000 + 2048 + 1000
      seen.messages += 5_000_000
      seen.calls += 1
      seen.acknowledged += 256_000
      #expect(budget.look(seen) == 1)
    }
  }

  @Test func unaccountedBytesLeak() {
    let budget = TestBudget()
    #expect(budget.look(traffic(received: 10_000)) == 0)
    budget.now = 5
    #expect(budget.look(traffic(received: 10_000)) == 0.5)
    budget.now = 100
    #expect(budget.look(traffic(received: 20_000)) == 0)
  }

  @Test func asMuchMoreAsAMessageMayBeOnItsWay() {
    let small = TestBudget()
    #expect(small.look(traffic(received: 210_000)) == 0)
    #expect(small.look(traffic(received: 210_001)) == nil)
    let large = TestBudget()
    #expect(large.look(traffic(received: 6_010_000, isLarge: true)) == 0)
    #expect(large.look(traffic(received: 6_010_001, isLarge: true)) == nil)
  }

  @Test func aMessageThatIsCompleteIsAccountedFor() {
    let budget = TestBudget()
    #expect(budget.look(traffic(received: 150_000)) == 0)
    #expect(budget.look(traffic(received: 190_000, messages: 190_000)) == 1)
  }

  @Test func bytesThatKeepGRPCBusyAreNoMessage() {
    let budget = TestBudget()
    var looks: [Double?] = []
    for look in 1...5 {
      budget.now += 0.005
      looks.append(budget.look(traffic(received: 100_000 + UInt64(look), waiting: 50_000)))
    }
    // At the first look it had read 50,000 bytes, which is slow; the fourth slow one is one too many.
    #expect(looks[..<3].allSatisfy { $0 == 0 })
    #expect(looks[3] == nil)
  }

  @Test func aThreadThatWaitsForAProcessorIsNotSlow() {
    let budget = TestBudget()
    for _ in 1...20 {
      budget.now += 0.005
      #expect(budget.look(traffic(received: 100_000, waiting: 50_000)) == 0)
    }
  }

  @Test func aFastReaderOrASlowNetworkIsNotBusy() {
    let fast = TestBudget()
    let slow = TestBudget()
    for look in 1...20 {
      fast.now += 0.005
      slow.now += 0.005
      let received = UInt64(look) * 100_000
      #expect(fast.look(traffic(received: received + 60_000, waiting: 60_000, isLarge: true)) == 0)
      // A little comes at a time, and all of it has been read.
      #expect(slow.look(traffic(received: 50_000 + UInt64(look) * 100, isLarge: true)) == 0)
    }
  }

  @Test func halfAMessageIsForgivenOnceAMinute() {
    let budget = TestBudget()
    #expect(budget.look(traffic(received: 5_000_000, isLarge: true)) == 0)
    budget.forgive()
    #expect(budget.look(traffic(received: 5_000_000)) == 1)
    #expect(budget.look(traffic(received: 10_000_000, isLarge: true)) == 0)
    budget.forgive()
    // A million was left to forgive.
    #expect(budget.look(traffic(received: 10_000_000)) == nil)
  }

  @Test func debtIsWhatIsUsed() {
    let budget = TestBudget()
    for _ in 0..<50 { _ = budget.openCall() }
    _ = budget.look(traffic(received: 5000 + 2048, calls: 1))
    #expect(budget.debt == (50, 5000))
    budget.now = 1
    #expect(budget.debt == (40, 4000))
    // The rest may be half a message.
    _ = budget.look(traffic(received: 5_000_000, isLarge: true))
    #expect(budget.debt.bytes == 160_000)
  }
}

/// Since a connection was accepted.
private func traffic(
  received: UInt64 = 0, acknowledged: UInt64 = 0, messages: UInt64 = 0, calls: UInt64 = 0, waiting: UInt64 = 0,
  isLarge: Bool = false
) -> ctest_traffic {
  ctest_traffic(
    received: received, acknowledged: acknowledged, messages: messages, calls: calls, waiting: waiting,
    is_large: isLarge)
}
