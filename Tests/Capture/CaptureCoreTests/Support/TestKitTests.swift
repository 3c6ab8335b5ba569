import CaptureTestKit
import Testing

/// Tests the recorder of the test kit. Tests of the whole project wait with it, so an error in it could let a broken
/// test pass.
@Suite struct RecorderTests {
  private let recorder = Recorder<Int>()

  /// A wait whose condition holds already returns at once, with all elements; `first` returns only the element that
  /// matches.
  @Test func waitReturnsAtOnceIfItsConditionHolds() async throws {
    recorder.append(1)
    recorder.append(2)
    #expect(try await recorder.wait(count: 1) == [1, 2])
    #expect(try await recorder.first { $0 > 1 } == 2)
  }

  @Test func aWaiterIsWokenWhenItsElementComes() async throws {
    async let found = recorder.first { $0 == 3 }
    for value in 1...3 { recorder.append(value) }
    #expect(try await found == 3)
  }

  /// A wait whose condition does not hold before the limit throws `NeverHappened`, and an element that comes later does
  /// no harm.
  @Test func waitThrowsWhenItsLimitPasses() async {
    recorder.append(1)
    await #expect(throws: NeverHappened.self) { try await recorder.wait(count: 2, upTo: .milliseconds(1)) }
    recorder.append(2)
    #expect(recorder.count == 2, "a waiter that gave up is not woken")
  }

  @Test func cancellationEndsTheWaitForAnElement() async {
    let waiting = Task { [recorder] in try await recorder.wait(count: 1) }
    waiting.cancel()
    await #expect(throws: NeverHappened.self) { try await waiting.value }
  }
}

/// Tests the clock of the test kit, with which tests decide when a timer ends.
@Suite struct ManualClockTests {
  private let clock = ManualClock(now: .seconds(5))

  /// Advancing the clock wakes the sleepers whose deadline has come and lets the others sleep.
  @Test func advancingWakesTheSleepersThatAreDue() async throws {
    let woken = Recorder<Int>()
    let sleepers = [1, 3].map { seconds in
      Task { [clock] in
        try await clock.sleep(until: clock.now.advanced(by: .seconds(seconds)))
        woken.append(seconds)
      }
    }
    try await clock.sleeps.wait(count: 2)
    clock.advance(by: .seconds(2))
    #expect(try await woken.wait(count: 1) == [1])
    clock.advance(by: .seconds(1))
    #expect(try await woken.wait(count: 2) == [1, 3])
    #expect(clock.monotonic == 8_000_000_000)
    for sleeper in sleepers { try await sleeper.value }
  }

  /// Sleeping until an instant that has come returns at once and is not recorded as a sleep.
  @Test func aPastDeadlineDoesNotSleep() async throws {
    try await clock.sleep(until: .init(offset: .seconds(5)))
    #expect(clock.sleeps.count == 0)
  }

  @Test func cancellationEndsASleep() async throws {
    let sleeper = Task { [clock] in try await clock.sleep(until: .init(offset: .seconds(9))) }
    try await clock.sleeps.wait(count: 1)
    sleeper.cancel()
    await #expect(throws: CancellationError.self) { try await sleeper.value }
  }
}

/// Tests the gate of the test kit, with which tests hold up a slow operation.
@Suite struct GateTests {
  /// A task that arrives at a closed gate is recorded and waits until the gate opens. An open gate lets a task pass at
  /// once.
  @Test func aClosedGateHoldsATaskUntilItOpens() async throws {
    let (gate, passed) = (Gate(open: false), Recorder<Void>())
    let walker = Task {
      await gate.pass()
      passed.append(())
    }
    try await gate.arrivals.wait(count: 1)
    #expect(passed.count == 0)
    gate.open()
    try await passed.wait(count: 1)
    await gate.pass()
    await walker.value
  }
}
