import Testing

@testable import SystemSleep

@Suite struct SleepStateMachineTests {
  private func handle(_ events: SleepStateMachine.Event...) -> [[SleepStateMachine.Action]] {
    var machine = SleepStateMachine()
    return events.map { machine.handle($0) }
  }

  @Test("A12: cameras are closed before the lock is released, and started before it is taken again") func aNight() {
    #expect(
      handle(.logindArrived, .willSleep, .awake, .willSleep) == [
        [.releaseLock, .takeLock], [.rest, .releaseLock], [.resume, .takeLock], [.rest, .releaseLock],
      ])
  }

  @Test func whatIsSaidTwiceIsDoneOnce() {
    #expect(handle(.willSleep, .willSleep, .awake, .awake) == [[.rest, .releaseLock], [], [.resume, .takeLock], []])
    #expect(handle(.awake) == [[]], "a sleep that was refused before anybody heard of it")
  }

  @Test("A12: when logind goes in between, nobody rests for ever") func logindGoesInBetween() {
    #expect(
      handle(.logindArrived, .willSleep, .logindLeft, .logindArrived, .awake) == [
        [.releaseLock, .takeLock], [.rest, .releaseLock], [.resume], [.releaseLock, .takeLock], [],
      ])
    #expect(handle(.logindArrived, .logindLeft) == [[.releaseLock, .takeLock], [.releaseLock]])
  }
}
