import CGRPCTestClient
import RPCCore
import Testing

/// What one connection may cost, as values.
struct BudgetTests {
  @Test func asManyCallsAsAtOnceAndThenAsManyASecond() {
    let budget = TestBudget()
    for _ in 0..<1000 { #expect(budget.openCall() == .within) }
    #expect(budget.openCall() == .refuse)
    budget.now = 1.1
    // The surplus call was counted, too, as half a call.
    for _ in 0..<10 { #expect(budget.openCall() == .within) }
    #expect(budget.openCall() == .refuse)
  }

  @Test func twiceAsManyCallsCut() {
    let budget = TestBudget()
    let verdicts = (0..<2001).map { _ in budget.openCall() }
    #expect(verdicts[1000..<2000].allSatisfy { $0 == .refuse })
    #expect(verdicts[2000] == .cut)
  }

  @Test func aClientIsCutThatOpensMoreThanTwiceAsManyCallsASecondForLong() {
    for (perSecond, expected) in [(19.0, TestBudget.Verdict.refuse), (21, .cut)] {
      let budget = TestBudget()
      var verdicts: Set<TestBudget.Verdict> = []
      for _ in 0..<100_000 {
        budget.now += 1 / perSecond
        verdicts.insert(budget.openCall())
      }
      #expect(verdicts.contains(.refuse))
      #expect(verdicts.contains(.cut) == (expected == .cut))
    }
  }

  @Test func callsThatAreResetBeforeTheyEndCut() {
    let budget = TestBudget()
    #expect(budget.openCall(alive: 300) == .within)
    #expect(budget.openCall(alive: 301) == .cut)
  }

  @Test func withoutALimitOfCallsOnlyThoseThatLiveCount() {
    var limits = TestBudget.limits
    limits.calls_per_second = 0
    let budget = TestBudget(limits)
    for _ in 0..<10_000 { #expect(budget.openCall() == .within) }
    #expect(budget.openCall(alive: 301) == .cut)
  }

  @Test func messagesCallsAndAcknowledgementsAccountForBytes() {
    let budget = TestBudget()
    var seen = traffic()
    for _ in 0..<1000 {
      budget.now += 0.05
      seen.received += 5_000_000 + 1000
      seen.accounted += 5_000_000
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

  @Test func asMuchMoreAsMessagesMayBeOnTheirWay() {
    for (calls, most) in [(0, 210_000), (1, 6_010_000), (3, 18_010_000), (4, 24_010_000), (9, 24_010_000)] {
      let budget = TestBudget()
      #expect(budget.look(traffic(received: UInt64(most), largeCalls: UInt32(calls))) == 0)
      #expect(budget.look(traffic(received: UInt64(most + 1), largeCalls: UInt32(calls))) == nil)
    }
  }

  @Test func whatGRPCHasNotReadIsNotCounted() {
    let budget = TestBudget()
    #expect(budget.look(traffic(received: 310_000, waiting: 100_000)) == 0)
    #expect(budget.look(traffic(received: 310_000, waiting: 99_999)) == nil)
  }

  @Test func aMessageThatIsCompleteIsAccountedFor() {
    let budget = TestBudget()
    #expect(budget.look(traffic(received: 150_000)) == 0)
    #expect(budget.look(traffic(received: 190_000, accounted: 190_000)) == 1)
  }

  @Test func bytesThatKeepGRPCBusyAreNoMessage() {
    let budget = TestBudget()
    var looks: [Double?] = []
    for look in 1...5 {
      budget.now += 0.005
      looks.append(budget.look(traffic(received: 100_000 + 10 * UInt64(look), waiting: 50_000)))
    }
    // Nothing had waited before the first one; the fourth slow one is one too many.
    #expect(looks[..<4].allSatisfy { $0 == 0 })
    #expect(looks[4] == nil)
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
    for look in UInt64(1)...20 {
      fast.now += 0.005
      slow.now += 0.005
      #expect(fast.look(traffic(received: look * 100_000 + 60_000, waiting: 60_000, largeCalls: 1)) == 0)
      // 64 megabits a second: each time a packet or two has just come, and those before have been read.
      #expect(slow.look(traffic(received: 50_000 + look * 40_000, waiting: 3000, largeCalls: 1)) == 0)
    }
  }

  @Test func halfAMessageIsForgivenOnceAMinute() {
    let budget = TestBudget()
    #expect(budget.look(traffic(received: 5_000_000, largeCalls: 1)) == 0)
    budget.forgive(isLarge: true)
    #expect(budget.look(traffic(received: 5_000_000, largeCalls: 1)) == 1)
    #expect(budget.look(traffic(received: 10_000_000, largeCalls: 1)) == 0)
    budget.forgive(isLarge: true)
    // A million was left to forgive.
    #expect(budget.look(traffic(received: 10_000_000)) == nil)
  }

  @Test func halfAMessageOfACallThatTheServerEndedIsForgiven() {
    let budget = TestBudget()
    #expect(budget.look(traffic(received: 5_000_000, largeCalls: 1)) == 0)
    #expect(budget.look(traffic(received: 5_000_000)) == 1)
  }

  @Test func ofACallWithSmallMessagesNoMoreIsForgiven() {
    let budget = TestBudget()
    #expect(budget.look(traffic(received: 210_000)) == 0)
    budget.forgive(isLarge: false)
    #expect(budget.look(traffic(received: 220_001)) == 0)
    budget.forgive(isLarge: false)
    #expect(budget.look(traffic(received: 430_002)) == nil)
  }

  @Test func debtIsWhatIsUsed() {
    let budget = TestBudget()
    for _ in 0..<50 { _ = budget.openCall() }
    _ = budget.look(traffic(received: 5000 + 2048, accounted: 2048))
    #expect(budget.debt == (50, 5000))
    budget.now = 1
    #expect(budget.debt == (40, 4000))
    // The rest may be half a message.
    _ = budget.look(traffic(received: 5_000_000, largeCalls: 1))
    #expect(budget.debt.bytes == 160_000)
  }
}

/// Since a connection was accepted.
private func traffic(
  received: UInt64 = 0, acknowledged: UInt64 = 0, accounted: UInt64 = 0, waiting: UInt64 = 0, largeCalls: UInt32 = 0
) -> ctest_traffic {
  ctest_traffic(
    received: received, acknowledged: acknowledged, accounted: accounted, waiting: waiting, large_calls: largeCalls)
}
