import CaptureCore
import CaptureTestKit
import Testing

@testable import CaptureSessions

/// A camera that stays connected and brings nothing, and a machine that sleeps.
@Suite(.timeLimit(.minutes(1))) struct SessionStallTests {
  private let clock = ManualClock()
  private static let stalled = SessionStatus(.interrupted, interruption: .deviceStalled)
  private static let asleep = SessionStatus(.interrupted, interruption: .systemSuspend)
  private static let silence = CaptureError.stalled(device: "fake-0", silence: 1_000_000_000)

  /// Runs, had a frame, and stalled; started again already.
  private func stalled(_ bench: Bench) async throws -> (session: CaptureSession, event: UInt64) {
    // So that nobody but who waits for the camera waits for the clock.
    let (session, source) = try await bench.running { $0.automaticallyRunsDeferredStart = false }
    source.send()
    source.stall()
    let told = try await event(of: session) { $0 == .stateChanged(Self.stalled) }
    source.lose(Self.silence)
    _ = try await bench.provider.sources.wait(count: 2)
    return (session, told.id)
  }

  @Test("A12: a stall is told before its device is closed") func aStallIsToldAtOnce() async throws {
    let bench = Bench(clock: clock)
    let (session, source) = try await bench.running()
    source.send()
    source.stall()
    let told = try await event(of: session) {
      if case .wasInterrupted(.deviceStalled, let error) = $0 { error.reason == .deviceNotResponding } else { false }
    }
    _ = try await event(of: session, after: told.id) { $0 == .stateChanged(Self.stalled) }
    #expect(source.isLive)
    #expect(bench.output("preview")?.statuses.all.last == Self.stalled)
    #expect(await reason { _ = try await session.start(requestedAt: 0) } == .deviceNotResponding)
    // Nothing to wait for but the device.
    #expect(try await session.stop(etag: "").status.state == .stopped)
    #expect(!source.isLive)
    #expect(bench.provider.sources.count == 1)
  }

  @Test("A12: a camera that stalled runs again with its first frame, not with its start")
  func theFirstFrameEndsAStall() async throws {
    let bench = Bench(clock: clock)
    let (session, told) = try await stalled(bench)
    try await session.serially { _ in }
    #expect(await session.snapshot().status == Self.stalled, "it took the start; that says nothing")
    let again = try #require(bench.provider.sources.all.last)
    again.send()
    let ended = try await event(of: session, after: told) { $0 == .interruptionEnded(streamID: again.streamID) }
    _ = try await event(of: session, after: ended.id) { $0 == .stateChanged(SessionStatus(.running)) }
    #expect(again.isLive)
  }

  /// Has the source that is open stall again, and waits until the camera is started once more, as often as `pauses` says, each
  /// after so many ticks.
  private func stallAgain(_ bench: Bench, _ session: CaptureSession, pauses: [Int]) async throws {
    for ticks in pauses {
      let count = bench.provider.sources.count
      try #require(bench.provider.sources.all.last).lose(Self.silence)
      for _ in 0..<ticks { try await tick(session) }
      _ = try await bench.provider.sources.wait(count: count + 1)
    }
  }

  /// Lets the session look after its camera once more, when it has done what it was at.
  private func tick(_ session: CaptureSession) async throws {
    await session.port.drain()
    try await session.serially { _ in }
    while clock.sleeping == 0 { await Task.yield() }
    clock.advance(by: RetrySchedule.tick)
  }

  private func patience(_ bench: Bench) -> [UInt64] {
    bench.provider.sources.all.map { $0.request.patience.betweenFrames / 1_000_000_000 }
  }

  @Test("A12: a stalled camera that was plugged in again begins anew, as its error advises")
  func aReplugEndsTheStalls() async throws {
    let bench = Bench(clock: clock)
    let (session, told) = try await stalled(bench)
    try await stallAgain(bench, session, pauses: [2, 4])
    #expect(patience(bench) == [1, 1, 2, 4])
    bench.provider.disconnect("fake-0")
    let gone = try await event(of: session, after: told) {
      $0 == .stateChanged(SessionStatus(.interrupted, interruption: .deviceDisconnected))
    }
    bench.provider.connect(.fake())
    try await tick(session)
    let back = try await event(of: session, after: gone.id) { $0 == .stateChanged(SessionStatus(.running)) }
    let source = try #require(bench.provider.sources.all.last)
    source.send()
    source.stall()
    _ = try await event(of: session, after: back.id) { $0 == .stateChanged(Self.stalled) }
    source.lose(Self.silence)
    // At once: nobody moves the clock.
    _ = try await bench.provider.sources.wait(count: 6)
    #expect(patience(bench) == [1, 1, 2, 4, 1, 1])
  }

  @Test("A12, A16: a healthy camera that takes a stalled one's place does not wait for its pauses")
  func aCommitEndsTheStalls() async throws {
    let bench = Bench(devices: [.fake(), .fake(id: "fake-1")], clock: clock)
    let (session, told) = try await stalled(bench)
    try await stallAgain(bench, session, pauses: [2, 4])
    // Closed, with eight ticks to go until it is started again.
    try #require(bench.provider.sources.all.last).lose(Self.silence)
    await session.port.drain()
    try await session.serially { _ in }
    let other = Bench.configuration { $0.inputs[0].deviceID = "fake-1" }
    _ = try await session.configure(other, etag: "", validateOnly: false)
    try await tick(session)
    let started = try await bench.provider.sources.wait(count: 5)
    #expect(started.last?.deviceID == "fake-1")
    #expect(patience(bench) == [1, 1, 2, 4, 1])
    started.last?.send()
    _ = try await event(of: session, after: told) { $0 == .stateChanged(SessionStatus(.running)) }
  }

  @Test("A12, C6: deferred start waits for readers once the session runs again, not before")
  func deferredStartAfterAStall() async throws {
    let bench = Bench(clock: clock)
    let (session, source) = try await bench.running()
    source.stall()
    let told = try await event(of: session) { $0 == .stateChanged(Self.stalled) }
    source.lose(Self.silence)
    let again = try #require(try await bench.provider.sources.wait(count: 2).last)
    try await session.serially { _ in }
    // The session is busy with something else while the first frame comes.
    let busy = Gate()
    busy.close()
    let operation = await session.enqueue { _ in await busy.pass() }
    try await busy.arrivals.wait(count: 1)
    again.send()
    while await session.launchTimeline().firstFrameCaptured == nil { await Task.yield() }
    #expect(await !session.waitsForReaders, "it would fire for a session that is still interrupted")
    busy.open()
    try await operation.value
    _ = try await event(of: session, after: told.id) { $0 == .stateChanged(SessionStatus(.running)) }
    while await !session.waitsForReaders || clock.sleeping == 0 { await Task.yield() }
    clock.advance(by: .seconds(60))
    _ = try await event(of: session, after: told.id) { $0 == .didRunDeferredStart(outputs: ["photo"]) }
  }

  @Test("A12, C6: the limit of deferred start passes over an interrupted session") func theLimitWhileInterrupted()
    async throws
  {
    let bench = Bench(clock: clock)
    let (session, source) = try await bench.running()
    source.send()
    while await !session.waitsForReaders || clock.sleeping == 0 { await Task.yield() }
    bench.provider.disconnect("fake-0")
    _ = try await event(of: session) {
      $0 == .stateChanged(SessionStatus(.interrupted, interruption: .deviceDisconnected))
    }
    clock.advance(by: .seconds(60))
    while await session.waitsForReaders { await Task.yield() }
    let seen = try await events(of: session)
    #expect(seen.allSatisfy { if case .willRunDeferredStart = $0 { false } else { true } })
  }

  @Test("A12: an interrupted session does not ask every camera at each look") func waitingAsksNoCamera() async throws {
    let bench = Bench(clock: clock)
    let (session, _) = try await bench.running { $0.automaticallyRunsDeferredStart = false }
    bench.provider.disconnect("fake-0")
    let gone = try await event(of: session) {
      $0 == .stateChanged(SessionStatus(.interrupted, interruption: .deviceDisconnected))
    }
    let looks = bench.provider.looks.count
    for _ in 0..<5 { try await tick(session) }
    // Until the last look is over: it could find the camera.
    while clock.sleeping == 0 { await Task.yield() }
    #expect(bench.provider.looks.count == looks)
    bench.provider.connect(.fake())
    try await tick(session)
    _ = try await event(of: session, after: gone.id) { $0 == .stateChanged(SessionStatus(.running)) }
    #expect(bench.provider.looks.count == looks)
  }

  @Test("A12: a start of an interrupted session says what interrupted it, and what mends it")
  func theErrorOfAStartIsTheInterruptions() async throws {
    let bench = Bench(clock: clock)
    let (session, _) = try await bench.running { $0.automaticallyRunsDeferredStart = false }
    bench.provider.disconnect("fake-0")
    _ = try await event(of: session) {
      $0 == .stateChanged(SessionStatus(.interrupted, interruption: .deviceDisconnected))
    }
    let gone = await #expect(throws: CaptureError.self) { _ = try await session.start(requestedAt: 0) }
    #expect(gone?.reason == .deviceDisconnected)
    #expect(gone?.message.hasSuffix("The fake device was unplugged.") == true)
    // It is back, and nobody may open it.
    var refused = Device.fake()
    refused.unavailable = CaptureError(.deviceAccessDenied, "Run this command.", metadata: ["node": "/dev/video0"])
    bench.provider.connect(refused)
    try await tick(session)
    try await session.serially { _ in }
    let denied = await #expect(throws: CaptureError.self) { _ = try await session.start(requestedAt: 0) }
    #expect(denied?.reason == .deviceAccessDenied)
    #expect(denied?.message.hasSuffix("when its camera may be opened. Run this command.") == true)
    #expect(denied?.metadata == ["session": "s", "device": "fake-0", "node": "/dev/video0"])
    #expect(await session.snapshot().status == SessionStatus(.interrupted, interruption: .deviceDisconnected))
    #expect(bench.provider.sources.count == 1)
  }

  @Test("A12: a camera that stays stalled is started again after growing pauses")
  func aCameraThatStaysStalledIsStartedRarely() async throws {
    let bench = Bench(clock: clock)
    let (session, told) = try await stalled(bench)
    for (attempt, ticks) in [2, 4, 8].enumerated() {
      try #require(bench.provider.sources.all.last).lose(Self.silence)
      for tick in 1...ticks {
        #expect(bench.provider.sources.count == attempt + 2, "tick \(tick)")
        try await self.tick(session)
      }
      _ = try await bench.provider.sources.wait(count: attempt + 3)
    }
    #expect(patience(bench) == [1, 1, 2, 4, 8])
    try await session.serially { _ in }
    let seen = try await events(of: session, after: told)
    #expect(seen.allSatisfy { if case .stateChanged = $0 { false } else { true } }, "it does not flap: \(seen)")
  }

  @Test("A12: damaged pictures are counted as they come, without a frame") func damageIsCountedAtOnce() async throws {
    let bench = Bench(clock: clock)
    let (session, source) = try await bench.running()
    source.send()
    source.damage()
    source.damage()
    #expect(await session.damagedPictures() == 2)
    let preview = try #require(bench.output("preview"))
    #expect(preview.frames.count == 1)
  }

  @Test("A12: a first frame that comes before the start has returned ends the stall") func anEarlyFirstFrame()
    async throws
  {
    let bench = Bench(clock: clock)
    let (session, told) = try await stalled(bench)
    try #require(bench.provider.sources.all.last).lose(Self.silence)
    bench.provider.started.close()
    for _ in 0..<2 { try await tick(session) }
    try #require(try await bench.provider.sources.wait(count: 3).last).send()
    // The session has heard of the frame, and does not know the source yet.
    await session.port.drain()
    bench.provider.started.open()
    _ = try await event(of: session, after: told) { $0 == .stateChanged(SessionStatus(.running)) }
  }

  @Test("A12: stop while a stalled camera is tried") func stopWhileAStalledCameraIsTried() async throws {
    let bench = Bench(clock: clock)
    let (session, _) = try await stalled(bench)
    #expect(try await session.stop(etag: "").status.state == .stopped)
    #expect(bench.provider.sources.all.allSatisfy { !$0.isLive })
    #expect(bench.devices.holders.isEmpty)
  }

  @Test("A12: a stalled camera that is pulled is told as gone, and started when it is back")
  func aStalledCameraThatIsPulled() async throws {
    let bench = Bench(clock: clock)
    let (session, told) = try await stalled(bench)
    bench.provider.disconnect("fake-0")
    let gone = try await event(of: session, after: told) {
      $0 == .stateChanged(SessionStatus(.interrupted, interruption: .deviceDisconnected))
    }
    bench.provider.connect(.fake())
    while clock.sleeping == 0 { await Task.yield() }
    clock.advance(by: RetrySchedule.tick)
    _ = try await event(of: session, after: gone.id) { $0 == .stateChanged(SessionStatus(.running)) }
  }

  @Test("A12: a commit on a stalled camera keeps it stalled until it delivers") func aCommitOnAStalledCamera()
    async throws
  {
    let bench = Bench(clock: clock)
    let (session, told) = try await stalled(bench)
    try await stallAgain(bench, session, pauses: [2])
    let slower = Bench.configuration { $0.inputs[0].frameRate = Rational(15, 1) }
    #expect(try await session.configure(slower, etag: "", validateOnly: false).reconfigured)
    #expect(await session.snapshot().status == Self.stalled)
    let source = try #require(bench.provider.sources.all.last)
    source.send()
    let back = try await event(of: session, after: told) { $0 == .stateChanged(SessionStatus(.running)) }
    // It was another request: when it stalls, that is the first time. Nobody moves the clock.
    source.stall()
    _ = try await event(of: session, after: back.id) { $0 == .stateChanged(Self.stalled) }
    source.lose(Self.silence)
    _ = try await bench.provider.sources.wait(count: 5)
    #expect(patience(bench) == [1, 1, 2, 1, 1])
  }

  @Test("A12: a session that is stopped and started begins the pauses anew") func aStartEndsTheStalls() async throws {
    let bench = Bench(clock: clock)
    let (session, _) = try await stalled(bench)
    try await stallAgain(bench, session, pauses: [2, 4])
    _ = try await session.stop(etag: "")
    #expect(try await session.start(requestedAt: 0).status == SessionStatus(.running))
    #expect(patience(bench) == [1, 1, 2, 4, 1])
  }

  @Test("A12: a stream that noticed a sleep is started again at once") func aSleepNoticedByTheClocks() async throws {
    let bench = Bench(clock: clock)
    let (session, source) = try await bench.running()
    source.send()
    source.lose(.slept(7_000_000_000, device: "fake-0"))
    let interrupted = try await event(of: session) {
      if case .wasInterrupted(.systemSuspend, let error) = $0 {
        error.metadata["suspended_seconds"] == "7.0"
      } else {
        false
      }
    }
    let ended = try await event(of: session, after: interrupted.id) {
      if case .interruptionEnded(let stream) = $0 { stream > source.streamID } else { false }
    }
    _ = try await event(of: session, after: ended.id) { $0 == .stateChanged(SessionStatus(.running)) }
    #expect(bench.provider.sources.count == 2)
  }

  @Test("A12: before a sleep every camera is closed, after it they run by themselves")
  func sessionsRestWhileTheMachineSleeps() async throws {
    let bench = Bench(devices: [.fake(), .fake(id: "fake-1")], clock: clock)
    let (session, source) = try await bench.running()
    await bench.sessions.setSystemAsleep(true)
    #expect(!source.isLive, "closed when it returns")
    #expect(await session.snapshot().status == Self.asleep)
    #expect(bench.output("preview")?.statuses.all.last == Self.asleep)

    // One that is made meanwhile sleeps too.
    let late = try await bench.sessions.create(id: "late", idleTimeout: 0)
    let other = Bench.configuration { $0.inputs[0].deviceID = "fake-1" }
    _ = try await late.configure(other, etag: "", validateOnly: false)
    #expect(await reason { _ = try await late.start(requestedAt: 0) } == .systemSuspend)
    #expect(bench.provider.sources.count == 1)

    await bench.sessions.setSystemAsleep(false)
    #expect(await session.snapshot().status == SessionStatus(.running))
    #expect(await late.snapshot().status == SessionStatus(.running))
    #expect(bench.provider.sources.count == 3)
  }

  @Test("A12: a machine that wakes under shutdown pressure rests on") func pressureOutlastsASleep() async throws {
    let bench = Bench(clock: clock)
    let (session, _) = try await bench.running()
    await bench.sessions.setSystemAsleep(true)
    await bench.sessions.setPressure(PressureDemands(machine: .fake(.shutdown)))
    await bench.sessions.setSystemAsleep(false)
    #expect(await session.snapshot().status == SessionStatus(.interrupted, interruption: .systemPressure))
    await bench.sessions.setPressure(PressureDemands(machine: .fake(.nominal)))
    _ = try await event(of: session) { if case .interruptionEnded = $0 { true } else { false } }
  }
}
