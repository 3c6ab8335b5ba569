import CaptureCore
import Testing

@testable import CaptureSessions

/// Tests what one camera of a session does after each event: which actions follow, and what watchers are told.
@Suite struct CameraStateMachineTests {
  private static let gone = CaptureError(.deviceDisconnected, "gone")
  private static let taken = CaptureError(.deviceInUse, "taken")
  private static let broken = CaptureError(.deviceFailed, "broken")
  private static let refused = CaptureError(.processingFailed, "refused")
  private static let slept = CaptureError(.systemSuspend, "slept")

  /// The state machine after these events.
  private func machine(_ events: CameraStateMachine.Event...) -> CameraStateMachine {
    var machine = CameraStateMachine()
    for event in events { _ = machine.handle(event) }
    return machine
  }

  /// The action that tells watchers this status.
  private func state(_ status: SessionStatus) -> CameraStateMachine.Action { .emit(.stateChanged(status)) }

  /// A start opens the device before the session runs, and a stop closes the device before the session is stopped.
  @Test func startsAndStops() {
    var machine = CameraStateMachine()
    #expect(machine.handle(.startRequested) == [state(SessionStatus(.starting)), .openSource])
    #expect(machine.handle(.sourceStarted(streamID: 1)) == [state(SessionStatus(.running))])
    #expect(machine.handle(.stopRequested) == [state(SessionStatus(.stopping)), .closeSource])
    #expect(machine.handle(.sourceStopped) == [state(SessionStatus(.stopped))])
  }

  /// A start that a client asked for and that fails reports the error and leaves the session stopped; nothing is
  /// retried.
  @Test func aFailedStartEndsInStopped() {
    var machine = machine(.startRequested)
    #expect(
      machine.handle(.startFailed(Self.taken)) == [.emit(.runtimeError(Self.taken)), state(SessionStatus(.stopped))])
  }

  /// A camera that comes back may not be openable for a moment. An interrupted session, and one that the configuration
  /// file starts, keep trying. A start by a client fails with the error instead.
  @Test("A5: an interrupted session waits for a camera that may not be opened yet")
  func aDeviceThatMayNotBeOpenedIsWaitedFor() {
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
      "a client that starts the session gets the error")
  }

  /// The loss of a device closes it, interrupts the session and begins retrying. Further attempts that fail for the
  /// same reason are not reported; a successful one ends the interruption.
  @Test func aLostDeviceInterruptsAndResumes() {
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

  /// When an attempt fails for another reason than the present interruption, watchers are told the new reason.
  @Test func anotherReasonDuringAnInterruptionIsReported() {
    var machine = machine(.startRequested, .sourceStarted(streamID: 1), .sourceLost(Self.gone))
    let inUse = SessionStatus(.interrupted, interruption: .deviceInUse)
    #expect(
      machine.handle(.startFailed(Self.taken)) == [.emit(.wasInterrupted(.deviceInUse, Self.taken)), state(inUse)])
    #expect(machine.status == inUse)
  }

  private static let hot = CaptureError(.systemPressure, "hot")
  private static let resting = SessionStatus(.interrupted, interruption: .systemPressure)

  /// A rest closes the device and interrupts the session, and no attempt follows until the rest is over. Then the
  /// session tries at once.
  @Test func shutdownPressureInterruptsWithoutRetries() {
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

  /// A session that is started during a rest is interrupted and waits for the end of the rest, unless a client stops it
  /// before.
  @Test func aStartDuringARestWaitsForItsEnd() {
    var machine = CameraStateMachine()
    #expect(
      machine.handle(.startAwaited(Self.hot)) == [
        .emit(.wasInterrupted(.systemPressure, Self.hot)), state(Self.resting),
      ])
    #expect(machine.handle(.stopRequested) == [.endRetrying, state(SessionStatus(.stopped))])
    #expect(machine.handle(.restOver) == [])
  }

  /// When a rest comes while the session waits for its device, the rest becomes the reason of the interruption and the
  /// retries end. After the rest, the session tries its device again and reports the former reason if the device is
  /// still absent.
  @Test func aRestReplacesAnInterruptionAndGivesItBack() {
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

  /// A grabber whose source has another size now may get the former one again. Watchers hear once that the format is
  /// gone. A client that starts a session gets the error instead.
  @Test func aFormatThatIsGoneIsWaitedFor() {
    let gone = CaptureError(.formatNotSupported, "It offers another one.")
    var machine = machine(
      .startRequested, .sourceStarted(streamID: 1), .sourceStalled(Self.silent), .sourceLost(Self.silent))
    #expect(
      machine.handle(.startFailed(gone)) == [.emit(.wasInterrupted(.deviceStalled, gone)), state(Self.stalled)])
    #expect(machine.handle(.startFailed(gone)) == [], "it is told once")
    #expect(machine.handle(.sourceStarted(streamID: 2)) == [.endRetrying])
    var started = self.machine(.startRequested)
    #expect(started.handle(.startFailed(gone)) == [.emit(.runtimeError(gone)), state(SessionStatus(.stopped))])
  }

  /// A person can switch the source on, so watchers hear of its lack at once, and once.
  @Test("field B1: a signal that is missing is told once") func aMissingSignalIsTold() {
    let missing = CaptureError(.noSignal, "It has no signal.")
    var machine = machine(
      .startRequested, .sourceStarted(streamID: 1), .sourceStalled(Self.silent), .sourceLost(Self.silent))
    #expect(
      machine.handle(.startFailed(missing)) == [.emit(.wasInterrupted(.deviceStalled, missing)), state(Self.stalled)])
    #expect(machine.handle(.startFailed(missing)) == [])
    #expect(machine.handle(.sourceStarted(streamID: 2)) == [.endRetrying])
  }

  /// Watchers are told of a stall before the camera is closed. Starting the camera again does not end the interruption,
  /// because a stalled camera started before as well; its first frame does. A further stall meanwhile is not reported
  /// again.
  @Test("A12: a stalled camera is reported, closed, started again, and running only with its first frame")
  func aStalledCameraRunsAgainWithItsFirstFrame() {
    var machine = machine(.startRequested, .sourceStarted(streamID: 1))
    #expect(
      machine.handle(.sourceStalled(Self.silent)) == [
        .emit(.wasInterrupted(.deviceStalled, Self.silent)), state(Self.stalled),
      ])
    #expect(machine.handle(.sourceLost(Self.silent)) == [.closeSource, .beginRetrying, .retry])
    #expect(machine.handle(.sourceStarted(streamID: 2)) == [.endRetrying])
    #expect(machine.handle(.sourceStalled(Self.silent)) == [], "the session is interrupted by a stall already")
    #expect(machine.handle(.sourceLost(Self.silent)) == [.closeSource, .beginRetrying, .retry])
    #expect(machine.handle(.frameArrived(streamID: 2)) == [], "the frame belongs to a stream that is over")
    #expect(machine.handle(.startFailed(Self.silent)) == [])
    #expect(machine.handle(.sourceStarted(streamID: 3)) == [.endRetrying])
    #expect(
      machine.handle(.frameArrived(streamID: 3)) == [
        .emit(.interruptionEnded(streamID: 3)), state(SessionStatus(.running)),
      ])
    #expect(machine.handle(.frameArrived(streamID: 3)) == [])
  }

  /// While a stalled camera is still open: a stop closes it and stops the session; a rest replaces the stall; an
  /// unplugged camera is waited for; a failure has it started again; and an error that waiting does not heal stops the
  /// session.
  @Test("A12: a stop, a rest, a loss and an error end or change a stall") func otherEventsDuringAStall() {
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
    #expect(
      broken.handle(.sourceLost(Self.broken)) == [.closeSource, .beginRetrying, .retry],
      "a camera that failed during a stall is started again")
    #expect(broken.status == Self.stalled)
    var refused = open
    #expect(
      refused.handle(.sourceLost(Self.refused)) == [
        .emit(.runtimeError(Self.refused)), state(SessionStatus(.stopping)), .closeSource,
      ])
  }

  /// A camera that comes back after an interruption and fails to start counts as stalled, so that the session retries
  /// with growing pauses instead of stopping.
  @Test(
    "A12: a session goes on retrying when the driver fails to start an interrupted camera",
    arguments: [CaptureError.Reason.deviceFailed, .bandwidthExceeded])
  func aFailedRetryCountsAsAStall(_ reason: CaptureError.Reason) {
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

  @Test func aRestDoesNotAffectAStoppedSession() {
    var machine = CameraStateMachine()
    #expect(machine.handle(.restRequired(Self.hot)) == [])
    #expect(machine.handle(.restOver) == [])
  }

  /// Stopping an interrupted session ends its retries, and an attempt that succeeds later starts nothing.
  @Test func aStopEndsAnInterruption() {
    var machine = machine(.startRequested, .sourceStarted(streamID: 1), .sourceLost(Self.gone))
    #expect(machine.handle(.stopRequested) == [.endRetrying, state(SessionStatus(.stopped))])
    #expect(machine.handle(.sourceStarted(streamID: 2)) == [])
  }

  /// A failed device, or a format that the device refuses after an interruption, stops the session with the error,
  /// because trying again would not help.
  @Test func anErrorThatWaitingDoesNotHealStopsTheSession() {
    var running = machine(.startRequested, .sourceStarted(streamID: 1))
    #expect(
      running.handle(.sourceLost(Self.broken)) == [
        .emit(.runtimeError(Self.broken)), state(SessionStatus(.stopping)), .closeSource,
      ])
    #expect(
      running.handle(.sourceStopped) == [state(SessionStatus(.stopped))],
      "the session is stopped only when the device is closed")
    var interrupted = machine(.startRequested, .sourceStarted(streamID: 1), .sourceLost(Self.gone))
    #expect(
      interrupted.handle(.startFailed(Self.refused)) == [
        .endRetrying, .emit(.runtimeError(Self.refused)), state(SessionStatus(.stopped)),
      ])
  }

  /// After any of 10,000 random sequences of events, opening and closing pair up, no device is open in a stopped
  /// session, every change of the status is reported once, and a stop leads to "stopped" from every state.
  @Test func invariantsHoldAfterRandomEvents() {
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
        // Only a session that retries starts a camera, so these events cannot come while the session does not retry.
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

/// A random number generator (SplitMix64) that starts from a seed, so that a test that fails can be run again with the
/// same numbers.
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
