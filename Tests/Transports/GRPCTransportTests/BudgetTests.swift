import CGRPCTestClient
import RPCCore
import Testing

/// These tests check the budget of calls and bytes of one connection as a value. The budget keeps a hostile client from
/// using up the daemon, and must never cut an honest client.
struct BudgetTests {
  /// A connection may open as many calls at once as the budget allows, and after that as many each second as the budget
  /// allows. Further calls are refused, and each of them counts as half a call.
  @Test func allowsABurstOfCallsAndThenTheirRate() {
    let budget = TestBudget()
    for _ in 0..<1000 { #expect(budget.openCall().isServed) }
    #expect(budget.openCall() == .refuse)
    budget.now = 1.1
    // The refused call has used half a call of the budget.
    for _ in 0..<10 { #expect(budget.openCall().isServed) }
    #expect(budget.openCall() == .refuse)
  }

  /// The calls beyond a twentieth of those that a client may open at once belong to a burst, until time has passed.
  @Test func manyCallsAtOnceAreABurst() {
    let budget = TestBudget()
    let verdicts = (0..<1000).map { _ in budget.openCall() }
    #expect(verdicts[..<50].allSatisfy { $0 == .within })
    #expect(verdicts[50...].allSatisfy { $0 == .burst })
    budget.now += 100
    #expect(budget.openCall() == .within)
  }

  /// A client that opens calls as steadily as its budget allows never opens a burst.
  @Test func steadyCallsAreNoBurst() {
    let budget = TestBudget()
    for _ in 0..<10_000 {
      budget.now += 0.1
      #expect(budget.openCall() == .within)
    }
  }

  /// A connection that opens more than twice as many calls at once as the budget allows is cut. Up to there its calls
  /// are refused.
  @Test func moreThanTwiceTheCallsAtOnceAreCut() {
    let budget = TestBudget()
    let verdicts = (0..<2001).map { _ in budget.openCall() }
    #expect(verdicts[1000..<2000].allSatisfy { $0 == .refuse })
    #expect(verdicts[2000] == .cut)
  }

  /// A connection that opens nearly twice as many calls per second as the budget allows gets errors for ever, and one
  /// that opens more is cut in the end.
  @Test func moreThanTwiceTheCallRateIsCutInTheEnd() {
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

  /// A connection is cut when more than twice as many of its calls are not over as it may have open: its client
  /// resets calls faster than the server can end them.
  @Test func tooManyUnfinishedCallsAreCut() {
    let budget = TestBudget()
    #expect(budget.openCall(alive: 200) == .within)
    #expect(budget.openCall(alive: 201) == .cut)
  }

  /// With 0 calls per second, the budget does not limit how many calls a client opens one after the other. It still
  /// limits how many calls are not over.
  @Test func withoutACallRateOnlyUnfinishedCallsAreLimited() {
    var limits = TestBudget.limits
    limits.calls_per_second = 0
    let budget = TestBudget(limits)
    for _ in 0..<10_000 { #expect(budget.openCall() == .within) }
    #expect(budget.openCall(alive: 201) == .cut)
  }

  /// The bytes of complete messages and one byte for each 256 acknowledged bytes use nothing of the budget. A
  /// connection that transfers much is therefore not cut.
  @Test func messagesAndAcknowledgementsAccountForBytes() {
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

  /// The budget forgets unaccounted bytes at its rate per second. After a long pause the whole budget is available
  /// again, and no more.
  @Test func unaccountedBytesAreForgottenOverTime() {
    let budget = TestBudget()
    #expect(budget.look(traffic(received: 10_000)) == 0)
    budget.now = 5
    #expect(budget.look(traffic(received: 10_000)) == 0.5)
    budget.now = 100
    #expect(budget.look(traffic(received: 20_000)) == 0)
  }

  /// A connection may exceed its budget by the bytes of messages that are incomplete: 200 kB without calls with large
  /// messages, otherwise 6 MB for each such call, for at most four calls. With more, the message is too large; without
  /// calls with large messages, the bytes are no message.
  @Test func incompleteMessagesMayExceedTheBudget() {
    for (calls, most) in [(0, 210_000), (1, 6_010_000), (3, 18_010_000), (4, 24_010_000), (9, 24_010_000)] {
      let budget = TestBudget()
      #expect(budget.look(traffic(received: UInt64(most), largeCalls: UInt32(calls))) == 0)
      let tooMuch = traffic(received: UInt64(most + 1), largeCalls: UInt32(calls))
      #expect(budget.state(tooMuch) == (calls == 0 ? .hostile : .messageTooLarge))
    }
  }

  /// Bytes that wait in the kernel do not count, because they take no memory of gRPC.
  @Test func unreadBytesAreNotCounted() {
    let budget = TestBudget()
    #expect(budget.look(traffic(received: 310_000, waiting: 100_000)) == 0)
    #expect(budget.look(traffic(received: 310_000, waiting: 99_999)) == nil)
  }

  /// After a message was refused, its bytes are forgiven, and for two seconds those of its rest: as many as four large
  /// messages have. What comes later or beyond is too much again.
  @Test func theRestOfARefusedMessageIsForgiven() {
    for (seconds, rest, expected) in [
      (1.0, UInt64(24_000_000), TestBudget.State.fine), (1, 31_000_000, .messageTooLarge),
      (3, 7_000_000, .messageTooLarge),
    ] {
      let budget = TestBudget()
      #expect(budget.state(traffic(received: 7_000_000, largeCalls: 1)) == .messageTooLarge)
      budget.refusedMessage()
      budget.now += seconds
      #expect(budget.state(traffic(received: 7_000_000 + rest, largeCalls: 1)) == expected)
    }
  }

  /// Bytes that gRPC reads slowly are no rest of a refused message.
  @Test func slowBytesAfterARefusedMessageAreCut() {
    let budget = TestBudget()
    budget.refusedMessage()
    var states: [TestBudget.State] = []
    for look in 1...5 {
      budget.now += 0.005
      states.append(budget.state(traffic(received: 100_000 + 10 * UInt64(look), waiting: 50_000)))
    }
    #expect(states == [.fine, .fine, .fine, .fine, .hostile])
  }

  /// The bytes of a message use the budget only until the message is complete.
  @Test func completeMessageIsAccountedFor() {
    let budget = TestBudget()
    #expect(budget.look(traffic(received: 150_000)) == 0)
    #expect(budget.look(traffic(received: 190_000, accounted: 190_000)) == 1)
  }

  /// A connection is cut when gRPC reads only few of its bytes at four looks in a row, although more wait. Such bytes
  /// keep gRPC busy, and a message does not.
  @Test func bytesThatGRPCReadsSlowlyAreCut() {
    let budget = TestBudget()
    var looks: [Double?] = []
    for look in 1...5 {
      budget.now += 0.005
      looks.append(budget.look(traffic(received: 100_000 + 10 * UInt64(look), waiting: 50_000)))
    }
    // The first look is not slow, because nothing had waited before. The fourth slow look is one too many.
    #expect(looks[..<4].allSatisfy { $0 == 0 })
    #expect(looks[4] == nil)
  }

  /// Looks at which gRPC has read nothing at all do not count as slow. On a loaded machine gRPC's thread may have to
  /// wait for a processor, and honest uploads must not be cut.
  @Test func looksWithoutAnyReadBytesAreNotSlow() {
    let budget = TestBudget()
    for _ in 1...20 {
      budget.now += 0.005
      #expect(budget.look(traffic(received: 100_000, waiting: 50_000)) == 0)
    }
  }

  /// Neither a fast upload, of which gRPC reads much at each look, nor an upload over a slow network, of which little
  /// waits, counts as slow.
  @Test func fastAndSlowUploadsAreNotCut() {
    let fast = TestBudget()
    let slow = TestBudget()
    for look in UInt64(1)...20 {
      fast.now += 0.005
      slow.now += 0.005
      #expect(fast.look(traffic(received: look * 100_000 + 60_000, waiting: 60_000, largeCalls: 1)) == 0)
      // The network brings 64 megabits a second. At each look a packet or two have just come, and gRPC has read the
      // earlier ones.
      #expect(slow.look(traffic(received: 50_000 + look * 40_000, waiting: 3000, largeCalls: 1)) == 0)
    }
  }

  /// When a call with large messages is cancelled, the bytes of an incomplete message are forgiven, but all in all only
  /// as many as one large message has per minute.
  @Test func oneIncompleteLargeMessageIsForgivenPerMinute() {
    let budget = TestBudget()
    #expect(budget.look(traffic(received: 5_000_000, largeCalls: 1)) == 0)
    budget.forgive(isLarge: true)
    #expect(budget.look(traffic(received: 5_000_000, largeCalls: 1)) == 1)
    #expect(budget.look(traffic(received: 10_000_000, largeCalls: 1)) == 0)
    budget.forgive(isLarge: true)
    // Only a million bytes were left to be forgiven.
    #expect(budget.look(traffic(received: 10_000_000)) == nil)
  }

  /// The bytes of an incomplete large message are also forgiven when the server itself ends the call, which gRPC does
  /// not report as a cancellation.
  @Test func incompleteMessageOfACallThatTheServerEndedIsForgiven() {
    let budget = TestBudget()
    #expect(budget.look(traffic(received: 5_000_000, largeCalls: 1)) == 0)
    #expect(budget.look(traffic(received: 5_000_000)) == 1)
  }

  /// When calls with small messages are cancelled, the bytes of only one small allowance are forgiven at once, however
  /// many calls are cancelled.
  @Test func onlyOneSmallAllowanceIsForgivenAtOnce() {
    let budget = TestBudget()
    #expect(budget.look(traffic(received: 210_000)) == 0)
    budget.forgive(isLarge: false)
    #expect(budget.look(traffic(received: 220_001)) == 0)
    budget.forgive(isLarge: false)
    #expect(budget.look(traffic(received: 430_002)) == nil)
  }

  /// The debt is the part of the budget that is used. It shrinks with time, and its bytes are limited.
  @Test func debtIsTheUsedPartOfTheBudget() {
    let budget = TestBudget()
    for _ in 0..<50 { _ = budget.openCall() }
    _ = budget.look(traffic(received: 5000 + 2048, accounted: 2048))
    #expect(budget.debt == (50, 5000))
    budget.now = 1
    #expect(budget.debt == (40, 4000))
    // Only 16 times the budget's bytes are a debt, because the rest may be half a message.
    _ = budget.look(traffic(received: 5_000_000, largeCalls: 1))
    #expect(budget.debt.bytes == 160_000)
  }
}

/// Makes the counters of a connection since it was accepted.
private func traffic(
  received: UInt64 = 0, acknowledged: UInt64 = 0, accounted: UInt64 = 0, waiting: UInt64 = 0, largeCalls: UInt32 = 0
) -> ctest_traffic {
  ctest_traffic(
    received: received, acknowledged: acknowledged, accounted: accounted, waiting: waiting, large_calls: largeCalls)
}
