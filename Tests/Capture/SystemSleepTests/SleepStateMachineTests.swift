import Testing

@testable import SystemSleep

/// What the daemon does when logind announces that the machine sleeps or wakes, and when logind comes and goes.
@Suite struct SleepStateMachineTests {
  private func handle(_ events: SleepStateMachine.Event...) -> [[SleepStateMachine.Action]] {
    var machine = SleepStateMachine()
    return events.map { machine.handle($0) }
  }

  @Test("A12: cameras are closed before the lock is released, and started before it is taken again") func aSleep() {
    #expect(
      handle(.logindArrived, .willSleep, .awake, .willSleep) == [
        [.releaseLock, .takeLock], [.rest, .releaseLock], [.resume, .takeLock], [.rest, .releaseLock],
      ])
  }

  /// logind may announce a sleep or the wake from it twice; the daemon acts on the first announcement only.
  @Test func repeatedAnnouncementsAreHandledOnce() {
    #expect(handle(.willSleep, .willSleep, .awake, .awake) == [[.rest, .releaseLock], [], [.resume, .takeLock], []])
    #expect(handle(.awake) == [[]], "the sleep was refused before logind announced it")
  }

  @Test("A12: when logind leaves during a sleep, the cameras do not rest for ever") func logindLeavesDuringASleep() {
    #expect(
      handle(.logindArrived, .willSleep, .logindLeft, .logindArrived, .awake) == [
        [.releaseLock, .takeLock], [.rest, .releaseLock], [.resume], [.releaseLock, .takeLock], [],
      ])
    #expect(handle(.logindArrived, .logindLeft) == [[.releaseLock, .takeLock], [.releaseLock]])
  }
}
