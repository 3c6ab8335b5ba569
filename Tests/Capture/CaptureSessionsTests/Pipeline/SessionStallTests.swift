import CaptureCore
import CaptureTestKit
import Testing

@testable import CaptureSessions

/// Tests what a session does when its camera is connected and brings no frames. Watchers must be told, and the
/// camera must run again without a call of a client.
@Suite(.timeLimit(.minutes(1))) struct SessionStallTests {
  private let clock = ManualClock()
  private static let stalled = SessionStatus(.interrupted, interruption: .deviceStalled)
  private static let silence = CaptureError.stalled(device: "fake-0", silence: 1_000_000_000)

  /// A session that ran and had a frame, whose camera stalled and has been started again. `event` is the number of the
  /// event that told the stall.
  private func stalled(_ bench: Bench) async throws -> (session: CaptureSession, event: UInt64) {
    // Without automatic deferred start, only the session's retries wait for the clock.
    let (session, source) = try await bench.running { $0.automaticallyRunsDeferredStart = false }
    source.send()
    source.stall()
    let told = try await event(of: session) { $0 == .stateChanged(Self.stalled) }
    source.lose(Self.silence)
    _ = try await bench.provider.sources.wait(count: 2)
    return (session, told.id)
  }

  /// Closing a device that does not answer may take long, so watchers and outputs learn of the stall before. A start
  /// meanwhile fails with the reason, and a stop ends the stream without another start.
  @Test("A12: a stall is reported before the stalled device is closed") func aStallIsReportedBeforeItsDeviceIsClosed()
    async throws
  {
    let bench = Bench(clock: clock)
    let (session, source) = try await bench.running()
    source.send()
    source.stall()
    let told = try await event(of: session) {
      if case .wasInterrupted(.deviceStalled, let error, _) = $0 { error.reason == .deviceNotResponding } else { false }
    }
    _ = try await event(of: session, after: told.id) { $0 == .stateChanged(Self.stalled) }
    #expect(source.isLive)
    #expect(bench.output("preview")?.statuses.all.last == Self.stalled)
    #expect(await reason { _ = try await session.start(requestedAt: 0) } == .deviceNotResponding)
    // The stop waits for nothing but the closing of the device.
    #expect(try await session.stop(etag: "").status.state == .stopped)
    #expect(!source.isLive)
    #expect(bench.provider.sources.count == 1)
  }

  /// The session stays interrupted while the restarted camera has brought no frame. The first frame ends the
  /// interruption and names its stream.
  @Test("A12: a stalled camera counts as running again with its first frame and not with its start")
  func theFirstFrameEndsAStall() async throws {
    let bench = Bench(clock: clock)
    let (session, told) = try await stalled(bench)
    try await session.serially { _ in }
    #expect(await session.snapshot().status == Self.stalled, "a start that succeeded does not end the stall")
    let again = try #require(bench.provider.sources.all.last)
    again.send()
    let ended = try await event(of: session, after: told) {
      $0 == .interruptionEnded(streamID: again.streamID, input: "camera")
    }
    _ = try await event(of: session, after: ended.id) { $0 == .stateChanged(SessionStatus(.running)) }
    #expect(again.isLive)
  }

  /// Lets the open source stall again and waits until the camera is started once more, once for each element of
  /// `pauses`. An element is the number of ticks before that start.
  private func stallAgain(_ bench: Bench, _ session: CaptureSession, pauses: [Int]) async throws {
    for ticks in pauses {
      let count = bench.provider.sources.count
      try #require(bench.provider.sources.all.last).lose(Self.silence)
      for _ in 0..<ticks { try await tick(session) }
      _ = try await bench.provider.sources.wait(count: count + 1)
    }
  }

  /// Waits until the session has nothing to do, then advances the clock by one tick, at which the session checks its
  /// camera.
  private func tick(_ session: CaptureSession) async throws {
    await session.port.drain()
    try await session.serially { _ in }
    while clock.sleeping == 0 { await Task.yield() }
    clock.advance(by: RetrySchedule.tick)
  }

  /// The seconds that each started source may bring no frame before it counts as stalled, in the order of the starts.
  private func patience(_ bench: Bench) -> [UInt64] {
    bench.provider.sources.all.map { $0.request.patience.betweenFrames / 1_000_000_000 }
  }

  /// The error of a stall advises to unplug the camera and plug it in again. The camera then starts at once, and at its
  /// next stall it is restarted at once, with the usual patience.
  @Test("A12: a stalled camera that was plugged in again starts with a clean record")
  func pluggingInAgainResetsThePauses() async throws {
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
    // The start comes at once: the test does not advance the clock.
    _ = try await bench.provider.sources.wait(count: 6)
    #expect(patience(bench) == [1, 1, 2, 4, 1, 1])
  }

  /// A commit that names another camera resets the schedule of retries, so that the new camera starts with the next
  /// tick.
  @Test("A12, A16: a camera that replaces a stalled one does not wait for the pauses of the stalled one")
  func swappingAStalledCameraResetsThePauses() async throws {
    let bench = Bench(devices: [.fake(), .fake(id: "fake-1")], clock: clock)
    let (session, told) = try await stalled(bench)
    try await stallAgain(bench, session, pauses: [2, 4])
    // The camera is closed now, and would be started again after eight ticks.
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

  /// The timer of deferred start begins when the stalled session runs again. The first frame alone does not start the
  /// timer, because the timer could fire, without an effect, while the session is still interrupted.
  @Test("A12, C6: deferred start waits for readers only when the session runs again")
  func deferredStartWaitsUntilAStalledSessionRunsAgain() async throws {
    let bench = Bench(clock: clock)
    let (session, source) = try await bench.running()
    source.stall()
    let told = try await event(of: session) { $0 == .stateChanged(Self.stalled) }
    source.lose(Self.silence)
    let again = try #require(try await bench.provider.sources.wait(count: 2).last)
    try await session.serially { _ in }
    // Another operation keeps the session busy while the first frame comes.
    let busy = Gate()
    busy.close()
    let operation = await session.enqueue { _ in await busy.pass() }
    try await busy.arrivals.wait(count: 1)
    again.send()
    while await session.launchTimeline().firstFrame == nil { await Task.yield() }
    #expect(await !session.waitsForReaders, "the timer would fire for a session that is still interrupted")
    busy.open()
    try await operation.value
    _ = try await event(of: session, after: told.id) { $0 == .stateChanged(SessionStatus(.running)) }
    while await !session.waitsForReaders || clock.sleeping == 0 { await Task.yield() }
    clock.advance(by: .seconds(60))
    _ = try await event(of: session, after: told.id) { $0 == .didRunDeferredStart(outputs: ["photo"]) }
  }

  /// When the limit passes while the session is interrupted, no output is prepared.
  @Test("A12, C6: the limit of deferred start has no effect on an interrupted session")
  func theDeferredStartLimitHasNoEffectDuringAnInterruption() async throws {
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

  /// While a session waits for its camera, it relies on hot-plug events. Asking all cameras at each tick would cost
  /// thousands of system calls.
  @Test("A12: an interrupted session does not ask every camera at each tick") func waitingForACameraAsksNoCamera()
    async throws
  {
    let bench = Bench(clock: clock)
    let (session, _) = try await bench.running { $0.automaticallyRunsDeferredStart = false }
    bench.provider.disconnect("fake-0")
    let gone = try await event(of: session) {
      $0 == .stateChanged(SessionStatus(.interrupted, interruption: .deviceDisconnected))
    }
    let looks = bench.provider.looks.count
    for _ in 0..<5 { try await tick(session) }
    // Wait until the last check is over, because it could find the camera.
    while clock.sleeping == 0 { await Task.yield() }
    #expect(bench.provider.looks.count == looks)
    bench.provider.connect(.fake())
    try await tick(session)
    _ = try await event(of: session, after: gone.id) { $0 == .stateChanged(SessionStatus(.running)) }
    #expect(bench.provider.looks.count == looks)
  }

  /// The error of a start names why the session is interrupted and what helps, and follows a changed cause: a camera
  /// that is back and may not be opened gives `deviceAccessDenied`, with the advice of that error.
  @Test("A12: starting an interrupted session fails with the present cause of the interruption")
  func aStartDuringAnInterruptionFailsWithItsCause() async throws {
    let bench = Bench(clock: clock)
    let (session, _) = try await bench.running { $0.automaticallyRunsDeferredStart = false }
    bench.provider.disconnect("fake-0")
    _ = try await event(of: session) {
      $0 == .stateChanged(SessionStatus(.interrupted, interruption: .deviceDisconnected))
    }
    let gone = await #expect(throws: CaptureError.self) { _ = try await session.start(requestedAt: 0) }
    #expect(gone?.reason == .deviceDisconnected)
    #expect(gone?.message.hasSuffix("The fake device was unplugged.") == true)
    // The camera is back, and the daemon may not open it.
    var refused = Device.fake()
    refused.unavailable = CaptureError(.deviceAccessDenied, "Run this command.", metadata: ["node": "/dev/video0"])
    bench.provider.connect(refused)
    try await tick(session)
    // The check that learns of the camera is over when it waits for the next tick.
    while clock.sleeping == 0 { await Task.yield() }
    let denied = await #expect(throws: CaptureError.self) { _ = try await session.start(requestedAt: 0) }
    #expect(denied?.reason == .deviceAccessDenied)
    #expect(denied?.message.hasSuffix("when its camera may be opened. Run this command.") == true)
    #expect(denied?.metadata == ["session": "s", "device": "fake-0", "node": "/dev/video0"])
    #expect(await session.snapshot().status == SessionStatus(.interrupted, interruption: .deviceDisconnected))
    #expect(bench.provider.sources.count == 1)
  }

  /// The session restarts the camera after 2, 4 and 8 ticks and gives it more time for frames each time. Watchers see
  /// one interruption and no changes of the status meanwhile.
  @Test("A12: a camera that stays stalled is restarted after growing pauses")
  func aCameraThatStaysStalledIsRestartedAfterGrowingPauses() async throws {
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
    #expect(
      seen.allSatisfy { if case .stateChanged = $0 { false } else { true } },
      "no change of the status is reported: \(seen)")
  }

  /// A camera that brings only damaged pictures brings no frame that would report them, so the session counts them when
  /// they come.
  @Test("A12: damaged pictures are counted when they come, before the next frame")
  func damagedPicturesAreCountedAtOnce() async throws {
    let bench = Bench(clock: clock)
    let (session, source) = try await bench.running()
    source.send()
    source.damage()
    source.damage()
    #expect(await session.cameraFigures().map(\.counts.damagedPictures) == [2])
    let preview = try #require(bench.output("preview"))
    #expect(preview.frames.count == 1)
  }

  /// The first frame may reach the session before the start of the camera has returned. It still ends the stall.
  @Test("A12: a first frame that comes before the start has returned ends the stall")
  func aFirstFrameBeforeTheStartReturnsEndsTheStall() async throws {
    let bench = Bench(clock: clock)
    let (session, told) = try await stalled(bench)
    // The second start has to be over. Otherwise the gate, which is for the third one, could hold it up.
    try await session.serially { _ in }
    try #require(bench.provider.sources.all.last).lose(Self.silence)
    bench.provider.started.close()
    for _ in 0..<2 { try await tick(session) }
    try #require(try await bench.provider.sources.wait(count: 3).last).send()
    // The session has learned of the frame and does not know the source yet.
    await session.port.drain()
    bench.provider.started.open()
    _ = try await event(of: session, after: told) { $0 == .stateChanged(SessionStatus(.running)) }
  }

  @Test("A12: a stop while a stalled camera is being retried closes and frees the camera")
  func aStopDuringRetriesOfAStalledCameraFreesIt() async throws {
    let bench = Bench(clock: clock)
    let (session, _) = try await stalled(bench)
    #expect(try await session.stop(etag: "").status.state == .stopped)
    #expect(bench.provider.sources.all.allSatisfy { !$0.isLive })
    #expect(bench.devices.holders.isEmpty)
  }

  /// The reason of the interruption becomes the disconnection. When the camera is back, it starts with the next tick
  /// and the session runs at once.
  @Test("A12: a stalled camera that is unplugged is reported as disconnected, and started when it is back")
  func unpluggingAStalledCameraIsReported() async throws {
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

  /// A commit with another rate restarts the stalled camera, which still has to bring a frame. The new request has a
  /// clean record: its first stall is followed by a start at once.
  @Test("A12: a commit on a stalled camera leaves the session stalled until a frame comes")
  func aCommitOnAStalledCameraKeepsTheStall() async throws {
    let bench = Bench(clock: clock)
    let (session, told) = try await stalled(bench)
    try await stallAgain(bench, session, pauses: [2])
    let slower = Bench.configuration { $0.inputs[0].frameRate = Rational(15, 1) }
    #expect(try await session.configure(slower, etag: "", validateOnly: false).reconfigured)
    #expect(await session.snapshot().status == Self.stalled)
    let source = try #require(bench.provider.sources.all.last)
    source.send()
    let back = try await event(of: session, after: told) { $0 == .stateChanged(SessionStatus(.running)) }
    // With another rate, the request is another one, so this stall is its first. The start follows without the test
    // advancing the clock.
    source.stall()
    _ = try await event(of: session, after: back.id) { $0 == .stateChanged(Self.stalled) }
    source.lose(Self.silence)
    _ = try await bench.provider.sources.wait(count: 5)
    #expect(patience(bench) == [1, 1, 2, 1, 1])
  }

  /// A client that stops and starts the session gets a start at once with the usual patience.
  @Test("A12: stopping and starting a session resets the pauses") func stoppingAndStartingResetsThePauses() async throws
  {
    let bench = Bench(clock: clock)
    let (session, _) = try await stalled(bench)
    try await stallAgain(bench, session, pauses: [2, 4])
    _ = try await session.stop(etag: "")
    #expect(try await session.start(requestedAt: 0).status == SessionStatus(.running))
    #expect(patience(bench) == [1, 1, 2, 4, 1])
  }
}
