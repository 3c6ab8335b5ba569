import CaptureCore
import CaptureTestKit
import SystemClocks
import Testing

@testable import CaptureSessions

/// Tests a session that starts on demand: when its camera is opened and closed, and what happens when the camera cannot
/// be opened.
@Suite(.timeLimit(.minutes(1))) struct SessionOnDemandTests {
  private let clock = ManualClock()
  private static let idleTimeout = Duration.seconds(30)

  /// A session on demand that is stopped and has its configuration.
  private func declared(in bench: Bench) async throws -> CaptureSession {
    let session = try await bench.sessions.create(id: "s", idleTimeout: 0, onDemand: Self.idleTimeout)
    try await DeclaredStart(session, Bench.configuration()).commit()
    return session
  }

  /// Waits for an event with this state after the event `id`, and returns the number of the event.
  @discardableResult private func state(
    _ state: SessionState, of session: CaptureSession, after id: UInt64
  ) async throws -> UInt64 {
    try await event(of: session, after: id) {
      if case .stateChanged(let status) = $0 { status.state == state } else { false }
    }.id
  }

  /// Returns when every call has ended that was queued in the session until now.
  private func settle(_ session: CaptureSession) async throws { try await session.serially { _ in } }

  /// Waits for the sleep of the idle timeout, then lets the timeout pass.
  private func passIdleTimeout(_ number: Int) async throws {
    try await clock.sleeps.wait(count: number)
    clock.advance(by: Self.idleTimeout)
  }

  /// The camera is closed until the first viewer comes. The launch timeline begins when that viewer came. The camera is
  /// closed again when the idle timeout after the last viewer has passed, and not before.
  @Test func runsForItsViewersAlone() async throws {
    let bench = Bench(clock: clock)
    let session = try await declared(in: bench)
    #expect(await session.snapshot().isOnDemand)
    #expect(await session.snapshot().status.state == .stopped)
    #expect(bench.provider.sources.count == 0)
    let first = session.events.lastID
    let running = try await session.whileViewed(since: 42) {
      let running = try await state(.running, of: session, after: first)
      try await session.whileViewed(since: 43) { try await settle(session) }
      #expect(bench.provider.sources.count == 1)
      #expect(await session.launchTimeline().startRequested == 42)
      return running
    }
    try await clock.sleeps.wait(count: 1)
    clock.advance(by: Self.idleTimeout - .nanoseconds(1))
    try await settle(session)
    #expect(await session.snapshot().status.state == .running)
    clock.advance(by: .nanoseconds(1))
    try await state(.stopped, of: session, after: running)
    #expect(bench.provider.sources.all.allSatisfy { !$0.isLive })
    #expect(bench.devices.holder(of: "fake-0") == nil)
  }

  /// A session that stopped for lack of viewers starts again for the next one, with a launch of its own.
  @Test func startsAgainForTheNextViewer() async throws {
    let bench = Bench(clock: clock)
    let session = try await declared(in: bench)
    for (number, instant) in [(1, 10), (2, 20)] as [(Int, MonotonicInstant)] {
      let before = session.events.lastID
      try await session.whileViewed(since: instant) {
        try await state(.running, of: session, after: before)
        #expect(await session.launchTimeline().startRequested == instant)
      }
      try await passIdleTimeout(number)
      try await state(.stopped, of: session, after: before)
    }
    #expect(bench.provider.sources.count == 2)
  }

  /// A viewer who comes while the session is stopping gets a running session: the start waits for the end of the stop.
  @Test func aViewerWhoComesDuringTheStopGetsARunningSession() async throws {
    let bench = Bench(clock: clock)
    let session = try await declared(in: bench)
    let before = session.events.lastID
    _ = try await session.whileViewed(since: 1) { try await state(.running, of: session, after: before) }
    try await clock.sleeps.wait(count: 1)
    let stopping = Task {
      let number = try await state(.stopping, of: session, after: before)
      return try await session.whileViewed(since: 2) { try await state(.running, of: session, after: number) }
    }
    clock.advance(by: Self.idleTimeout)
    _ = try await stopping.value
    #expect(bench.provider.sources.count == 2)
    #expect(await session.snapshot().status.state == .running)
  }

  /// A viewer who has left before the start had its turn does not switch the camera on.
  @Test func aViewerWhoLeftSwitchesNothingOn() async throws {
    let bench = Bench(clock: clock)
    let session = try await declared(in: bench)
    let gate = Gate()
    gate.close()
    let busy = await session.enqueue { _ in await gate.pass() }
    try await gate.arrivals.wait(count: 1)
    await session.whileViewed(since: 1) {}
    gate.open()
    try await busy.value
    try await settle(session)
    await session.startForViewers(requestedAt: 2)
    #expect(bench.provider.sources.count == 0)
  }

  /// StopSession stops a session that is watched, and the viewers stay. The next viewer who comes starts it again.
  @Test func aStopHoldsUntilTheNextViewerComes() async throws {
    let bench = Bench(clock: clock)
    let session = try await declared(in: bench)
    let before = session.events.lastID
    try await session.whileViewed(since: 1) {
      try await state(.running, of: session, after: before)
      #expect(try await session.stop(etag: "").status.state == .stopped)
      try await settle(session)
      #expect(bench.provider.sources.count == 1)
      let stopped = session.events.lastID
      _ = try await session.whileViewed(since: 2) { try await state(.running, of: session, after: stopped) }
    }
    #expect(bench.provider.sources.count == 2)
  }

  /// StartSession starts the session although nobody watches it. It stops again after the idle timeout.
  @Test func aStartByAClientLastsForTheIdleTimeout() async throws {
    let bench = Bench(clock: clock)
    let session = try await declared(in: bench)
    let before = session.events.lastID
    #expect(try await session.start(requestedAt: 1).status.state == .running)
    try await passIdleTimeout(1)
    try await state(.stopped, of: session, after: before)
  }

  /// Watchers of events use the session and are no viewers, so they do not start it. The first launch is that of the
  /// viewer who comes later.
  @Test func watchersDoNotStartIt() async throws {
    let bench = Bench(clock: clock)
    let session = try await declared(in: bench)
    let before = session.events.lastID
    try await session.idle.whileAttached {
      #expect(session.idle.remaining(of: 1) == 1, "the session is in use")
      #expect(!session.port.viewers.mayStart)
      _ = try await session.whileViewed(since: 42) { try await state(.running, of: session, after: before) }
      #expect(!session.port.viewers.mayStart)
    }
    #expect(await session.launchTimeline().startRequested == 42)
    #expect(bench.provider.sources.count == 1)
  }

  /// A capture keeps the session running and in use until its end, although its viewer leaves before. The idle timeout
  /// begins then.
  @Test func aCaptureOutlastsItsViewer() async throws {
    let bench = Bench(clock: clock)
    let session = try await declared(in: bench)
    let before = session.events.lastID
    let endCapture = try await session.whileViewed(since: 1) {
      try await state(.running, of: session, after: before)
      return session.beginCapture()
    }
    #expect(session.port.viewers.mayStart)
    #expect(session.idle.remaining(of: 1) == 1, "the session is in use")
    #expect(clock.sleeping == 0)
    endCapture()
    #expect(session.idle.remaining(of: 1) == 0)
    try await passIdleTimeout(1)
    try await state(.stopped, of: session, after: before)
  }

  /// A viewer of a session whose camera is away waits: the session is interrupted and starts when the camera is back.
  @Test func waitsForItsCameraWhileSomebodyWatches() async throws {
    let bench = Bench(devices: [], clock: clock)
    let session = try await declared(in: bench)
    #expect(bench.output("preview") != nil, "viewers find the outputs")
    let before = session.events.lastID
    try await session.whileViewed(since: 1) {
      let interrupted = try await state(.interrupted, of: session, after: before)
      try await clock.sleeps.wait(count: 1)
      bench.provider.connect(.fake())
      clock.advance(by: RetrySchedule.tick)
      try await state(.running, of: session, after: interrupted)
      #expect(await session.launchTimeline().startRequested == 1)
    }
  }

  /// A session that waits for its camera stops waiting when nobody has watched it for the idle timeout, and does not
  /// start when the camera comes back then.
  @Test func stopsWaitingForItsCameraWhenNobodyWatches() async throws {
    let bench = Bench(clock: clock)
    let session = try await declared(in: bench)
    bench.provider.disconnect("fake-0")
    let before = session.events.lastID
    _ = try await session.whileViewed(since: 1) { try await state(.interrupted, of: session, after: before) }
    // One sleep is that of the retries, the other that of the idle timeout.
    try await passIdleTimeout(2)
    let interrupted = try await state(.interrupted, of: session, after: before)
    try await state(.stopped, of: session, after: interrupted)
    bench.provider.connect(.fake())
    clock.advance(by: RetrySchedule.tick)
    try await settle(session)
    #expect(bench.provider.sources.count == 0)
  }

  /// A session on demand may have outputs and no camera yet. Its viewers wait, and get the camera that a later commit
  /// brings.
  @Test func viewersGetTheCameraOfALaterCommit() async throws {
    let bench = Bench(clock: clock)
    let session = try await bench.sessions.create(id: "s", idleTimeout: 0, onDemand: Self.idleTimeout)
    try await DeclaredStart(session, Bench.configuration { $0.inputs = [] }).commit()
    let preview = try #require(bench.output("preview"))
    let before = session.events.lastID
    try await session.whileViewed(since: 1) {
      try await settle(session)
      let etag = await session.snapshot().etag
      try await DeclaredStart(session, Bench.configuration()).commit(etag: etag)
      try await state(.running, of: session, after: before)
    }
    #expect(bench.output("preview") === preview, "the viewers stay at the same output")
    #expect(
      await reason { try await DeclaredStart(session, Bench.configuration()).commit(etag: "outdated") }
        == .etagMismatch)
  }

  /// A viewer waits at a session that could not start, and gets its frames when a commit heals the session.
  @Test func aCommitServesTheViewersOfASessionThatCouldNotStart() async throws {
    let bench = Bench(clock: clock)
    let session = try await declared(in: bench)
    bench.provider.failStarts(CaptureError(.notSupportedInConfiguration, "not with this configuration"))
    let before = session.events.lastID
    try await session.whileViewed(since: 1) {
      let failed = try await state(.stopped, of: session, after: before)
      bench.provider.failStarts(nil)
      _ = try await session.configure(
        Bench.configuration { $0.preview = nil }, etag: "", validateOnly: false)
      try await state(.running, of: session, after: failed)
    }
  }

  /// A commit does not start a session that a client has stopped, although viewers stay.
  @Test func aCommitDoesNotUndoAStop() async throws {
    let bench = Bench(clock: clock)
    let session = try await declared(in: bench)
    let before = session.events.lastID
    try await session.whileViewed(since: 1) {
      try await state(.running, of: session, after: before)
      _ = try await session.stop(etag: "")
      _ = try await session.configure(
        Bench.configuration { $0.preview = nil }, etag: "", validateOnly: false)
      #expect(!session.port.viewers.mayStart, "a client stopped the session")
      let stopped = session.events.lastID
      // The next start is that of the next viewer.
      _ = try await session.whileViewed(since: 3) { try await state(.running, of: session, after: stopped) }
      #expect(await session.launchTimeline().startRequested == 3)
    }
  }

  /// A camera that another session holds, and a bus without bandwidth, interrupt the session until they are free.
  @Test(arguments: [CaptureError.Reason.deviceInUse, .bandwidthExceeded])
  func waitsForWhatMayHeal(_ cause: CaptureError.Reason) async throws {
    let bench = Bench(clock: clock)
    let session = try await declared(in: bench)
    bench.provider.failStarts(CaptureError(cause, "not now"))
    let before = session.events.lastID
    try await session.whileViewed(since: 1) {
      let interrupted = try await state(.interrupted, of: session, after: before)
      bench.provider.failStarts(nil)
      try await clock.sleeps.wait(count: 1)
      clock.advance(by: RetrySchedule.tick)
      let running = Task { try await state(.running, of: session, after: interrupted) }
      // A stalled camera counts as running with its first frame.
      try await bench.provider.sources.wait(count: 1)
      try #require(bench.provider.sources.all.last).send(count: 1)
      _ = try await running.value
    }
  }

  /// A capture waits until the session has started for it, and gets the error of the start when it fails.
  @Test func aCaptureWaitsForTheStart() async throws {
    let bench = Bench(clock: clock)
    let session = try await declared(in: bench)
    try await session.whileViewed(since: 1) {
      let wasOff = try await session.awaitStartOnDemand(since: 1)
      #expect(wasOff)
      #expect(await session.snapshot().status.state == .running)
      // The session runs by now, but this viewer has started it, and not the next one.
      let (ofStarter, ofNext) = (
        try await session.awaitStartOnDemand(since: 1), try await session.awaitStartOnDemand(since: 2)
      )
      #expect(ofStarter && !ofNext)
    }
    _ = try await session.stop(etag: "")
    bench.provider.failStarts(CaptureError(.deviceInUse, "another program has it"))
    let refusal = await reason {
      _ = try await session.whileViewed(since: 2) { try await session.awaitStartOnDemand(since: 2) }
    }
    #expect(refusal == .deviceInUse)
  }

  /// Viewers do not start an ordinary session, and a capture does not wait for it.
  @Test func anOrdinarySessionIsNotStarted() async throws {
    let bench = Bench(clock: clock)
    let session = try await bench.sessions.create(id: "s", idleTimeout: 0)
    _ = try await session.configure(Bench.configuration(), etag: "", validateOnly: false)
    try await session.whileViewed(since: 1) {
      try await session.awaitStartOnDemand(since: 1)
      try await settle(session)
    }
    #expect(await !session.snapshot().isOnDemand)
    #expect(bench.provider.sources.count == 0)
    #expect(clock.sleeping == 0)
  }

  /// A viewer of a session that rests because of shutdown pressure waits like the viewer of any other session, and the
  /// session runs when the pressure has fallen.
  @Test func aRestOfTheMachineGoesBeforeViewers() async throws {
    let bench = Bench(clock: clock)
    let session = try await declared(in: bench)
    await bench.sessions.setPressure(PressureDemands(machine: .fake(.shutdown)))
    try await settle(session)
    let before = session.events.lastID
    try await session.whileViewed(since: 1) {
      let interrupted = try await state(.interrupted, of: session, after: before)
      #expect(bench.provider.sources.count == 0)
      await bench.sessions.setPressure(PressureDemands())
      try await state(.running, of: session, after: interrupted)
    }
  }

  /// A deleted session neither starts nor stops any more.
  @Test func aDeletedSessionStaysClosed() async throws {
    let bench = Bench(clock: clock)
    let session = try await declared(in: bench)
    let before = session.events.lastID
    try await session.whileViewed(since: 1) {
      try await state(.running, of: session, after: before)
      try await bench.sessions.delete("s", etag: "")
      await session.startForViewers(requestedAt: 2)
    }
    try await passIdleTimeout(1)
    #expect(bench.provider.sources.all.allSatisfy { !$0.isLive })
    #expect(bench.provider.sources.count == 1)
  }
}
