import CaptureCore
import Testing

@testable import CaptureSessions

@Suite struct CameraStateMachineTests {
  private static let gone = CaptureError(.deviceDisconnected, "gone")
  private static let taken = CaptureError(.deviceInUse, "taken")
  private static let broken = CaptureError(.deviceFailed, "broken")
  private static let refused = CaptureError(.formatNotSupported, "refused")
  private static let slept = CaptureError(.systemSuspend, "slept")

  private func machine(_ events: CameraStateMachine.Event...) -> CameraStateMachine {
    var machine = CameraStateMachine()
    for event in events { _ = machine.handle(event) }
    return machine
  }

  private func state(_ status: SessionStatus) -> CameraStateMachine.Action { .emit(.stateChanged(status)) }

  @Test func startsAndStops() {
    var machine = CameraStateMachine()
    #expect(machine.handle(.startRequested) == [state(SessionStatus(.starting)), .openSource])
    #expect(machine.handle(.sourceStarted(streamID: 1)) == [state(SessionStatus(.running))])
    #expect(machine.handle(.stopRequested) == [state(SessionStatus(.stopping)), .closeSource])
    #expect(machine.handle(.sourceStopped) == [state(SessionStatus(.stopped))])
  }

  @Test func failedStartEndsStopped() {
    var machine = machine(.startRequested)
    #expect(
      machine.handle(.startFailed(Self.taken)) == [.emit(.runtimeError(Self.taken)), state(SessionStatus(.stopped))])
  }

  @Test("A5: a camera that comes back and may not be opened yet is waited for") func refusedDeviceIsWaitedFor() {
    let refused = CaptureError(.deviceAccessDenied, "refused")
    var machine = machine(.startRequested, .sourceStarted(streamID: 1), .sourceLost(Self.gone))
    #expect(machine.handle(.startFailed(refused)) == [])
    #expect(machine.status == SessionStatus(.interrupted, interruption: .deviceDisconnected))
    var declared = CameraStateMachine()
    #expect(
      declared.handle(.startAwaited(refused)) == [
        .emit(.wasInterrupted(.deviceDisconnected, refused)),
        state(SessionStatus(.interrupted, interruption: .deviceDisconnected)), .beginRetrying,
      ])
    var started = self.machine(.startRequested)
    #expect(
      started.handle(.startFailed(refused)) == [.emit(.runtimeError(refused)), state(SessionStatus(.stopped))],
      "a client that starts it is told")
  }

  @Test func lostDeviceInterruptsAndResumes() {
    var machine = machine(.startRequested, .sourceStarted(streamID: 1))
    let interrupted = SessionStatus(.interrupted, interruption: .deviceDisconnected)
    #expect(
      machine.handle(.sourceLost(Self.gone)) == [
        .closeSource, .emit(.wasInterrupted(.deviceDisconnected, Self.gone)), state(interrupted), .beginRetrying,
      ])
    #expect(machine.handle(.startFailed(Self.gone)) == [])
    #expect(
      machine.handle(.sourceStarted(streamID: 2)) == [
        .endRetrying, .emit(.interruptionEnded(streamID: 2)), state(SessionStatus(.running)),
      ])
  }

  @Test func anotherCauseWhileInterruptedIsTold() {
    var machine = machine(.startRequested, .sourceStarted(streamID: 1), .sourceLost(Self.gone))
    let inUse = SessionStatus(.interrupted, interruption: .deviceInUse)
    #expect(
      machine.handle(.startFailed(Self.taken)) == [.emit(.wasInterrupted(.deviceInUse, Self.taken)), state(inUse)])
    #expect(machine.status == inUse)
  }

  private static let hot = CaptureError(.systemPressure, "hot")
  private static let resting = SessionStatus(.interrupted, interruption: .systemPressure)

  @Test func pressureInterruptsAndNothingIsTriedUntilItIsOver() {
    var machine = machine(.startRequested, .sourceStarted(streamID: 1))
    #expect(
      machine.handle(.restRequired(Self.hot)) == [
        .closeSource, .emit(.wasInterrupted(.systemPressure, Self.hot)), state(Self.resting),
      ])
    #expect(machine.handle(.restRequired(Self.hot)) == [])
    #expect(machine.handle(.restOver) == [.beginRetrying, .retry])
    #expect(
      machine.handle(.sourceStarted(streamID: 2)) == [
        .endRetrying, .emit(.interruptionEnded(streamID: 2)), state(SessionStatus(.running)),
      ])
    #expect(machine.handle(.restOver) == [])
  }

  @Test func aStartUnderPressureWaitsForItsEnd() {
    var machine = CameraStateMachine()
    #expect(
      machine.handle(.startAwaited(Self.hot)) == [
        .emit(.wasInterrupted(.systemPressure, Self.hot)), state(Self.resting),
      ])
    #expect(machine.handle(.stopRequested) == [.endRetrying, state(SessionStatus(.stopped))])
    #expect(machine.handle(.restOver) == [])
  }

  @Test func pressureTakesOverWhatASessionWaitsForAndGivesItBack() {
    var machine = machine(.startRequested, .sourceStarted(streamID: 1), .sourceLost(Self.gone))
    #expect(
      machine.handle(.restRequired(Self.hot)) == [
        .endRetrying, .emit(.wasInterrupted(.systemPressure, Self.hot)), state(Self.resting),
      ])
    #expect(machine.handle(.restOver) == [.beginRetrying, .retry])
    #expect(
      machine.handle(.startFailed(Self.gone)) == [
        .emit(.wasInterrupted(.deviceDisconnected, Self.gone)),
        state(SessionStatus(.interrupted, interruption: .deviceDisconnected)),
      ])
  }

  private static let silent = CaptureError(.deviceNotResponding, "silent")
  private static let stalled = SessionStatus(.interrupted, interruption: .deviceStalled)

  @Test("A12: a stall is told, its camera closed, started again, and watched") func aStall() {
    var machine = machine(.startRequested, .sourceStarted(streamID: 1))
    #expect(
      machine.handle(.sourceStalled(Self.silent)) == [
        .emit(.wasInterrupted(.deviceStalled, Self.silent)), state(Self.stalled),
      ])
    #expect(machine.handle(.sourceLost(Self.silent)) == [.closeSource, .beginRetrying, .retry])
    #expect(machine.handle(.sourceStarted(streamID: 2)) == [.endRetrying])
    #expect(machine.handle(.sourceStalled(Self.silent)) == [], "it is known")
    #expect(machine.handle(.sourceLost(Self.silent)) == [.closeSource, .beginRetrying, .retry])
    #expect(machine.handle(.frameArrived(streamID: 2)) == [], "of a stream that is over")
    #expect(machine.handle(.startFailed(Self.silent)) == [])
    #expect(machine.handle(.sourceStarted(streamID: 3)) == [.endRetrying])
    #expect(
      machine.handle(.frameArrived(streamID: 3)) == [
        .emit(.interruptionEnded(streamID: 3)), state(SessionStatus(.running)),
      ])
    #expect(machine.handle(.frameArrived(streamID: 3)) == [])
  }

  @Test("A12: what may come while a stalled camera is open") func whatEndsAStall() {
    let open = machine(.startRequested, .sourceStarted(streamID: 1), .sourceStalled(Self.silent))
    var stopped = open
    #expect(
      stopped.handle(.stopRequested) == [.endRetrying, state(SessionStatus(.stopping)), .closeSource])
    #expect(stopped.handle(.sourceStopped) == [state(SessionStatus(.stopped))])
    var resting = open
    #expect(
      resting.handle(.restRequired(Self.hot)) == [
        .endRetrying, .closeSource, .emit(.wasInterrupted(.systemPressure, Self.hot)), state(Self.resting),
      ])
    #expect(resting.handle(.sourceLost(Self.silent)) == [])
    var gone = open
    #expect(
      gone.handle(.sourceLost(Self.gone)) == [
        .closeSource, .emit(.wasInterrupted(.deviceDisconnected, Self.gone)),
        state(SessionStatus(.interrupted, interruption: .deviceDisconnected)), .beginRetrying,
      ])
    var broken = open
    #expect(broken.handle(.sourceLost(Self.broken)) == [.closeSource, .beginRetrying, .retry], "it is started again")
    #expect(broken.status == Self.stalled)
    var refused = open
    #expect(
      refused.handle(.sourceLost(Self.refused)) == [
        .emit(.runtimeError(Self.refused)), state(SessionStatus(.stopping)), .closeSource,
      ])
  }

  @Test(
    "A12: a driver that fails when a camera is started again is tried on",
    arguments: [CaptureError.Reason.deviceFailed, .bandwidthExceeded])
  func aRetryThatFails(_ reason: CaptureError.Reason) {
    let failure = CaptureError(reason, "on purpose")
    var silent = machine(
      .startRequested, .sourceStarted(streamID: 1), .sourceStalled(Self.silent), .sourceLost(Self.silent))
    #expect(silent.handle(.startFailed(failure)) == [])
    #expect(silent.status == Self.stalled)
    for interruption in [Self.gone, Self.slept] {
      var machine = machine(.startRequested, .sourceStarted(streamID: 1), .sourceLost(interruption))
      #expect(
        machine.handle(.startFailed(failure)) == [.emit(.wasInterrupted(.deviceStalled, failure)), state(Self.stalled)])
      #expect(machine.handle(.sourceStarted(streamID: 2)) == [.endRetrying])
      #expect(
        machine.handle(.frameArrived(streamID: 2)) == [
          .emit(.interruptionEnded(streamID: 2)), state(SessionStatus(.running)),
        ])
    }
  }

  @Test func aStoppedSessionDoesNotRest() {
    var machine = CameraStateMachine()
    #expect(machine.handle(.restRequired(Self.hot)) == [])
    #expect(machine.handle(.restOver) == [])
  }

  @Test func stopDropsTheIntent() {
    var machine = machine(.startRequested, .sourceStarted(streamID: 1), .sourceLost(Self.gone))
    #expect(machine.handle(.stopRequested) == [.endRetrying, state(SessionStatus(.stopped))])
    #expect(machine.handle(.sourceStarted(streamID: 2)) == [])
  }

  @Test func whatWaitingDoesNotHealStops() {
    var running = machine(.startRequested, .sourceStarted(streamID: 1))
    #expect(
      running.handle(.sourceLost(Self.broken)) == [
        .emit(.runtimeError(Self.broken)), state(SessionStatus(.stopping)), .closeSource,
      ])
    #expect(running.handle(.sourceStopped) == [state(SessionStatus(.stopped))], "not before the device is closed")
    var interrupted = machine(.startRequested, .sourceStarted(streamID: 1), .sourceLost(Self.gone))
    #expect(
      interrupted.handle(.startFailed(Self.refused)) == [
        .endRetrying, .emit(.runtimeError(Self.refused)), state(SessionStatus(.stopped)),
      ])
  }

  /// Whatever happens in whatever order: opening and closing pair up, no device is open in a stopped session, every move is
  /// told, and events lead out of every state.
  @Test func tenThousandRandomSequencesNeverWedge() {
    let events: [CameraStateMachine.Event] = [
      .startRequested, .sourceStarted(streamID: 1), .startFailed(Self.gone), .startFailed(Self.taken),
      .startFailed(Self.broken), .startFailed(Self.refused), .stopRequested, .sourceStopped, .sourceLost(Self.gone),
      .sourceLost(Self.broken),
      .sourceStalled(Self.silent), .sourceLost(Self.silent), .frameArrived(streamID: 1), .startFailed(Self.silent),
      .restRequired(Self.hot), .restRequired(Self.slept), .restOver, .sourceLost(Self.slept),
    ]
    for seed in 0..<10_000 as Range<UInt64> {
      var generator = SplitMix(state: seed)
      var machine = CameraStateMachine()
      var (opened, retrying) = (0, false)
      for _ in 0..<40 {
        let event = events.randomElement(using: &generator)!
        // A camera is only started by who tries, and that is nobody while the session rests.
        if machine.status.state == .interrupted, !retrying {
          if case .startFailed = event { continue }
          if case .sourceStarted = event { continue }
        }
        let (before, hadSource) = (machine.status, machine.hasSource)
        let actions = machine.handle(event)
        if case .sourceStarted = event, before.state == .starting || before.state == .interrupted, !hadSource {
          opened += 1
        }
        if actions.contains(.closeSource) { opened -= 1 }
        if actions.contains(.beginRetrying) { retrying = true }
        if actions.contains(.endRetrying) { retrying = false }
        let told = actions.compactMap { if case .emit(.stateChanged(let status)) = $0 { status } else { nil } }
        let holds =
          opened == (machine.status.state == .running || machine.hasSource ? 1 : 0)
          && (!retrying || machine.status.state == .interrupted)
          && (retrying || machine.hasSource || machine.status.interruption?.isRest != false)
          && (!machine.hasSource || machine.status == Self.stalled)
          && (machine.status.interruption != nil) == (machine.status.state == .interrupted)
          && told == (machine.status == before ? [] : [machine.status])
        #expect(holds, "seed \(seed): \(before) \(event) \(actions)")
        guard holds else { return }
      }
      if machine.status.state == .stopping { _ = machine.handle(.sourceStopped) }
      if machine.status.state == .starting { _ = machine.handle(.startFailed(Self.gone)) }
      _ = machine.handle(.stopRequested)
      _ = machine.handle(.sourceStopped)
      #expect(machine.status.state == .stopped, "seed \(seed)")
    }
  }
}

/// A small seeded generator, so that a failing case can be run again.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }
}
