import CaptureCore
import CaptureTestKit
import Testing

@testable import CaptureSessions

/// Tests of sessions with several cameras: what happens to one of them leaves the others alone.
@Suite(.timeLimit(.minutes(1))) struct SeveralCamerasTests {
  private static let busFull = CaptureError(.bandwidthExceeded, "The bus is full.")

  /// A configuration of the cameras `fake-0`, `fake-1` and so on, each with a video data output of its own.
  private static func configuration(
    _ cameras: [Int], disabled: Set<Int> = [], _ change: (inout SessionConfiguration) -> Void = { _ in }
  ) -> SessionConfiguration {
    var configuration = SessionConfiguration()
    configuration.inputs = cameras.map { .init(id: "cam-\($0)", deviceID: "fake-\($0)") }
    configuration.videoData = cameras.map { .init(id: "data-\($0)") }
    configuration.connections = cameras.map {
      .init(input: "cam-\($0)", output: "data-\($0)", isEnabled: !disabled.contains($0))
    }
    change(&configuration)
    return configuration
  }

  private static func bench(clock: any Clock<Duration> = ContinuousClock()) -> Bench {
    Bench(devices: (0..<9).map { .fake(id: "fake-\($0)") }, clock: clock)
  }

  private func running(_ configuration: SessionConfiguration, in bench: Bench) async throws -> CaptureSession {
    let session = try await bench.sessions.create(id: "s", idleTimeout: 0)
    _ = try await session.configure(configuration, etag: "", validateOnly: false)
    _ = try await session.start(requestedAt: 1)
    return session
  }

  private func source(_ camera: Int, in bench: Bench) throws -> FakeSource {
    try #require(bench.provider.sources.all.last { $0.deviceID == "fake-\(camera)" })
  }

  private func states(_ session: CaptureSession) async -> [String] {
    await session.snapshot().inputStatus.map { "\($0.input) \($0.status.state)" }
  }

  /// The states of the session that its watchers were told.
  private func toldStates(_ session: CaptureSession) async throws -> [SessionState] {
    try await events(of: session).compactMap { if case .stateChanged(let status) = $0 { status.state } else { nil } }
  }

  /// Each output gets the frames of its camera, under the name of the input.
  @Test("L1: several cameras run at once") func eachOutputHasItsCamera() async throws {
    let bench = Self.bench()
    let session = try await running(Self.configuration([0, 1, 2]), in: bench)
    #expect(await states(session) == ["cam-0 running", "cam-1 running", "cam-2 running"])
    for camera in 0..<3 { try source(camera, in: bench).send(count: camera + 1) }
    for camera in 0..<3 {
      let frames = try #require(bench.output("data-\(camera)")).frames.all
      #expect(frames.map(\.input) == Array(repeating: "cam-\(camera)", count: camera + 1))
    }
    #expect(bench.devices.holders == ["fake-0": "s", "fake-1": "s", "fake-2": "s"])
    #expect(try await session.stop(etag: "").status.state == .stopped)
    #expect(bench.devices.holders.isEmpty)
    #expect(bench.provider.sources.all.allSatisfy { !$0.isLive })
  }

  /// All cameras are being opened before the first one is open.
  @Test("L1: cameras open side by side") func camerasOpenSideBySide() async throws {
    let bench = Self.bench()
    bench.provider.starting.close()
    let session = try await bench.sessions.create(id: "s", idleTimeout: 0)
    _ = try await session.configure(Self.configuration([0, 1, 2]), etag: "", validateOnly: false)
    let start = Task { try await session.start(requestedAt: 0) }
    _ = try await bench.provider.starting.arrivals.wait(count: 3)
    #expect(await session.snapshot().status.state == .starting)
    bench.provider.starting.open()
    #expect(try await start.value.status.state == .running)
    #expect(try await toldStates(session) == [.starting, .running])
    #expect(await session.launchTimeline().cameras.keys.sorted() == ["cam-0", "cam-1", "cam-2"])
  }

  /// When one camera cannot be opened, the start fails, and the session holds no camera.
  @Test("L1: a start fails as a whole") func aStartFailsAsAWhole() async throws {
    let bench = Self.bench()
    bench.provider.failStarts(Self.busFull, of: "fake-1")
    let session = try await bench.sessions.create(id: "s", idleTimeout: 0)
    _ = try await session.configure(Self.configuration([0, 1, 2]), etag: "", validateOnly: false)
    #expect(await reason { _ = try await session.start(requestedAt: 0) } == .bandwidthExceeded)
    #expect(bench.devices.holders.isEmpty)
    #expect(bench.provider.sources.all.allSatisfy { !$0.isLive })
    #expect(await session.snapshot().status.state == .stopped)
    #expect(try await toldStates(session) == [.starting, .stopped])
  }

  /// A camera that is lost interrupts itself alone. The session is interrupted when every camera is, and runs again
  /// when one is back.
  @Test("L1: an interruption is that of one camera") func anInterruptionIsThatOfOneCamera() async throws {
    let clock = ManualClock()
    let bench = Self.bench(clock: clock)
    let session = try await running(Self.configuration([0, 1]), in: bench)
    let first = try source(0, in: bench)
    bench.provider.disconnect("fake-1")
    _ = try await event(of: session) {
      if case .wasInterrupted(.deviceDisconnected, _, let input) = $0 { input == "cam-1" } else { false }
    }
    await session.port.drain()
    #expect(await states(session) == ["cam-0 running", "cam-1 interrupted"])
    #expect(await session.snapshot().status == SessionStatus(.running))
    #expect(bench.output("data-1")?.statuses.all.last?.state == .interrupted)
    #expect(bench.output("data-0")?.statuses.all.last?.state == .running)
    first.send()
    #expect(first.isLive && bench.output("data-0")?.frames.count == 1)

    bench.provider.disconnect("fake-0")
    _ = try await event(of: session) { $0 == .stateChanged(.init(.interrupted, interruption: .deviceDisconnected)) }
    bench.provider.connect(.fake(id: "fake-1"))
    while clock.sleeping < 2 { await Task.yield() }
    clock.advance(by: .seconds(1))
    let ended = try await event(of: session) { if case .interruptionEnded = $0 { true } else { false } }
    guard case .interruptionEnded(_, let input) = ended.payload else { return }
    #expect(input == "cam-1")
    _ = try await event(of: session, after: ended.id) { $0 == .stateChanged(SessionStatus(.running)) }
    #expect(await states(session) == ["cam-0 interrupted", "cam-1 running"])
  }

  /// When a camera that a commit adds does not start, the others have not been touched, whatever else the commit would
  /// change: no restart, no frame lost, the same snapshot.
  @Test("A9: a commit whose third camera fails leaves the others alone") func aFailedCommitTouchesNoOtherCamera()
    async throws
  {
    let bench = Self.bench()
    let session = try await running(Self.configuration([0, 1]), in: bench)
    let before = await session.snapshot()
    let running = try [source(0, in: bench), source(1, in: bench)]
    bench.provider.failStarts(Self.busFull, of: "fake-2")
    // The commit also gives an output of the first camera to the third, which must not be seen before that runs.
    let bad = Self.configuration([0, 1, 2]) {
      $0.connections[2].output = "data-0"
      $0.connections[0].output = "data-2"
    }
    for _ in 0..<2 {
      #expect(
        await reason { _ = try await session.configure(bad, etag: "", validateOnly: false) } == .bandwidthExceeded)
      var after = await session.snapshot()
      after.eventID = before.eventID
      #expect(after == before)
      #expect(running.allSatisfy { $0.isLive && $0.stops.count == 0 })
      running[0].send()
      #expect(bench.output("data-0")?.frames.all.last?.configRevision == before.revision)
      #expect(bench.output("data-0")?.frames.all.last?.input == "cam-0")
    }
    #expect(bench.output("data-0")?.frames.count == 2)
    #expect(bench.devices.holders == ["fake-0": "s", "fake-1": "s"])
  }

  /// Removing, adding and swapping cameras, and another order of them, leaves the others streaming.
  @Test("A16: a commit leaves the cameras alone that it does not change") func otherCamerasStreamOn() async throws {
    let bench = Self.bench()
    let session = try await running(Self.configuration([0, 1, 2]), in: bench)
    let (first, second, third) = try (source(0, in: bench), source(1, in: bench), source(2, in: bench))
    for cameras in [[1, 2], [2, 1], [2, 1, 3], [2, 1, 4], [2, 1]] {
      _ = try await session.configure(Self.configuration(cameras), etag: "", validateOnly: false)
      #expect(await states(session) == cameras.map { "cam-\($0) running" })
      second.send()
      #expect(bench.output("data-1")?.frames.all.last?.configRevision == (await session.snapshot().revision))
      #expect(bench.devices.holders.keys.sorted() == cameras.map { "fake-\($0)" }.sorted())
    }
    #expect(!first.isLive && second.isLive && third.isLive)
    #expect(second.stops.count == 0 && third.stops.count == 0)
    #expect(bench.output("data-1")?.frames.count == 5)
  }

  /// A camera whose connection is disabled is closed and stays claimed; it opens again with the connection. The session
  /// runs on, even when that holds for all its cameras.
  @Test("L1: a camera without an enabled connection is closed") func anUnusedCameraIsClosed() async throws {
    let bench = Self.bench()
    let session = try await running(Self.configuration([0, 1]), in: bench)
    let (first, second) = try (source(0, in: bench), source(1, in: bench))
    _ = try await session.configure(Self.configuration([0, 1], disabled: [1]), etag: "", validateOnly: false)
    #expect(await states(session) == ["cam-0 running", "cam-1 stopped"])
    #expect(first.isLive && !second.isLive)
    #expect(bench.devices.holders == ["fake-0": "s", "fake-1": "s"])
    _ = try await session.configure(Self.configuration([0, 1], disabled: [0, 1]), etag: "", validateOnly: false)
    #expect(await session.snapshot().status.state == .running)
    #expect(!first.isLive)
    _ = try await session.configure(Self.configuration([0, 1], disabled: [0]), etag: "", validateOnly: false)
    #expect(await states(session) == ["cam-0 stopped", "cam-1 running"])
    _ = try await session.stop(etag: "")
    #expect(bench.devices.holders.isEmpty)
    // A start opens only the cameras that have a purpose, and claims the others.
    #expect(try await session.start(requestedAt: 0).status.state == .running)
    #expect(await states(session) == ["cam-0 stopped", "cam-1 running"])
    #expect(bench.devices.holders == ["fake-0": "s", "fake-1": "s"])
    #expect(try await toldStates(session) == [.starting, .running, .stopping, .stopped, .starting, .running])
  }

  /// A deferred camera opens when deferred start runs, and not before; after a stop it waits again.
  @Test("L1: a deferred camera opens with deferred start") func aDeferredCameraOpensLater() async throws {
    let bench = Self.bench()
    let configuration = Self.configuration([0, 1]) {
      $0.inputs[1].deferredStart = true
      $0.automaticallyRunsDeferredStart = false
    }
    let session = try await running(configuration, in: bench)
    for _ in 0..<2 {
      #expect(await states(session) == ["cam-0 running", "cam-1 stopped"])
      try await session.runDeferredStart()
      await session.deferredStartEnded()
      try await session.serially { _ in }
      #expect(await states(session) == ["cam-0 running", "cam-1 running"])
      _ = try await session.stop(etag: "")
      _ = try await session.start(requestedAt: 0)
    }
  }

  /// The rest of a camera that is too hot is not that of the other one.
  @Test("A12: pressure of one camera interrupts it alone") func pressureOfOneCameraInterruptsItAlone() async throws {
    let bench = Self.bench()
    let session = try await running(Self.configuration([0, 1]), in: bench)
    await bench.sessions.setPressure(PressureDemands(machine: .fake(.nominal), devices: ["fake-1": .fake(.shutdown)]))
    _ = try await event(of: session) {
      if case .wasInterrupted(.systemPressure, _, let input) = $0 { input == "cam-1" } else { false }
    }
    try await session.serially { _ in }
    #expect(await states(session) == ["cam-0 running", "cam-1 interrupted"])
    await bench.sessions.setPressure(PressureDemands(machine: .fake(.nominal)))
    _ = try await event(of: session) {
      if case .interruptionEnded(_, let input) = $0 { input == "cam-1" } else { false }
    }
  }

  /// A session that the operator declared runs with the cameras that can run. One that is in use is interrupted, and
  /// joins the others when it is free.
  @Test("L1: a declared session runs with the cameras that are free") func aDeclaredSessionRunsWithFreeCameras()
    async throws
  {
    let clock = ManualClock()
    let bench = Self.bench(clock: clock)
    bench.provider.failStarts(CaptureError(.deviceInUse, "Another program has it."), of: "fake-1")
    let session = try await bench.sessions.create(id: "s", idleTimeout: 0)
    try await DeclaredStart(session, Self.configuration([0, 1, 2])).run()
    #expect(await states(session) == ["cam-0 running", "cam-1 interrupted", "cam-2 running"])
    #expect(await session.snapshot().status.state == .running)
    bench.provider.failStarts(nil)
    while clock.sleeping == 0 { await Task.yield() }
    clock.advance(by: .seconds(1))
    _ = try await event(of: session) {
      if case .interruptionEnded(_, let input) = $0 { input == "cam-1" } else { false }
    }
  }

  /// The frames of the camera that an output had before are over for the output, whichever of the two streams is newer.
  @Test("A16: no frame of the former camera is shown") func framesOfTheFormerCameraAreOver() async throws {
    let bench = Self.bench()
    let session = try await running(Self.configuration([0, 1]), in: bench)
    let views = await session.views
    let frames = try (0..<2).map { try #require(source($0, in: bench).send()) }
    #expect(views[0].history.isOver(stream: frames[1].streamID) && !views[0].history.isOver(stream: frames[0].streamID))
    #expect(views[1].history.isOver(stream: frames[0].streamID) && !views[1].history.isOver(stream: frames[1].streamID))
    let swapped = Self.configuration([0, 1]) {
      $0.connections[0].output = "data-1"
      $0.connections[1].output = "data-0"
    }
    _ = try await session.configure(swapped, etag: "", validateOnly: false)
    #expect(views[0].history.isOver(stream: frames[0].streamID) && !views[0].history.isOver(stream: frames[1].streamID))
    for camera in 0..<2 { try source(camera, in: bench).send() }
    #expect(bench.output("data-0")?.frames.all.map(\.input) == ["cam-0", "cam-1"])
  }

  /// A commit that replaces the only camera, which is away, with another prepares the outputs of that camera, although
  /// nothing streams then.
  @Test("L1: a camera that a commit starts has prepared outputs") func aStartedCameraHasPreparedOutputs() async throws {
    let bench = Self.bench(clock: ManualClock())
    let session = try await running(Self.configuration([0]), in: bench)
    bench.provider.disconnect("fake-0")
    _ = try await event(of: session) { $0 == .stateChanged(.init(.interrupted, interruption: .deviceDisconnected)) }
    bench.provider.connect(.fake(id: "fake-0"))
    _ = try await session.configure(Self.configuration([0, 1]), etag: "", validateOnly: false)
    #expect(await states(session) == ["cam-0 interrupted", "cam-1 running"])
    #expect(bench.output("data-1")?.prepared.count == 1)
  }

  /// A deferred camera that is open waits for deferred start again after a commit, a stop and a start.
  @Test("L1: a deferred camera opens again after a commit") func aDeferredCameraOpensAgainAfterACommit() async throws {
    let bench = Self.bench()
    var configuration = Self.configuration([0, 1]) {
      $0.inputs[1].deferredStart = true
      $0.automaticallyRunsDeferredStart = false
    }
    let session = try await running(configuration, in: bench)
    func runDeferredStart() async throws {
      try await session.runDeferredStart()
      await session.deferredStartEnded()
      try await session.serially { _ in }
    }
    try await runDeferredStart()
    configuration.connections[0].isMirrored = true
    _ = try await session.configure(configuration, etag: "", validateOnly: false)
    #expect(await states(session) == ["cam-0 running", "cam-1 running"])
    _ = try await session.stop(etag: "")
    _ = try await session.start(requestedAt: 0)
    #expect(await states(session) == ["cam-0 running", "cam-1 stopped"])
    #expect(bench.output("data-1")?.statuses.all.last?.state == .running)
    try await runDeferredStart()
    #expect(await states(session) == ["cam-0 running", "cam-1 running"])
  }

  /// A camera that is lost while deferred start runs does not keep the deferred camera closed.
  @Test("L1: a deferred camera opens while the other is away") func aDeferredCameraOpensBesideALostOne() async throws {
    let bench = Self.bench(clock: ManualClock())
    let configuration = Self.configuration([0, 1]) {
      $0.inputs[1].deferredStart = true
      $0.automaticallyRunsDeferredStart = false
    }
    let session = try await running(configuration, in: bench)
    try await session.serially { session in
      await session.apply(.sourceLost(CaptureError(.deviceNotFound, "It is gone.")), to: session.pipelines[0])
      await session.openDeferredCameras()
    }
    #expect(await states(session) == ["cam-0 interrupted", "cam-1 running"])
  }

  /// A camera that no output takes does not open by itself, whoever holds it when the session starts.
  @Test("L1: a retry opens no closed camera") func aRetryOpensNoClosedCamera() async throws {
    let clock = ManualClock()
    let bench = Self.bench(clock: clock)
    try bench.devices.claim("fake-1", for: "other")
    let session = try await bench.sessions.create(id: "s", idleTimeout: 0)
    try await DeclaredStart(session, Self.configuration([0, 1], disabled: [1])).run()
    #expect(await states(session) == ["cam-0 running", "cam-1 stopped"])
    #expect(clock.sleeping == 0)
  }

  /// A camera that was absent when the session was configured stays closed when it comes and no output takes it.
  @Test("L1: an absent camera that stays closed is parked") func anAbsentCameraThatStaysClosedIsParked() async throws {
    let clock = ManualClock()
    let bench = Self.bench(clock: clock)
    for camera in 0..<2 { bench.provider.disconnect("fake-\(camera)") }
    let session = try await bench.sessions.create(id: "s", idleTimeout: 0)
    try await DeclaredStart(session, Self.configuration([0, 1], disabled: [0])).run()
    #expect(await session.snapshot().status.state == .interrupted)
    let looks = bench.provider.looks.count
    bench.provider.connect(.fake(id: "fake-0"))
    try await session.serially { await CameraLife($0.pipelines[0], in: $0).retry(in: $0) }
    #expect(bench.provider.looks.count == looks, "the session waits for the second camera without asking the first")
    bench.provider.connect(.fake(id: "fake-1"))
    try await session.serially { await CameraLife($0.pipelines[0], in: $0).retry(in: $0) }
    #expect(await states(session) == ["cam-0 stopped", "cam-1 running"])
    #expect(bench.output("data-1")?.prepared.count == 1)
  }

  /// A start of a running session opens no camera that must rest.
  @Test("A12: a start lets a stopped camera rest") func aStartLetsAStoppedCameraRest() async throws {
    let bench = Self.bench()
    let session = try await running(Self.configuration([0, 1]), in: bench)
    try await session.serially {
      await $0.apply(.sourceLost(CaptureError(.deviceFailed, "It broke.")), to: $0.pipelines[1])
    }
    #expect(await states(session) == ["cam-0 running", "cam-1 stopped"])
    await bench.sessions.setPressure(PressureDemands(machine: .fake(.nominal), devices: ["fake-1": .fake(.shutdown)]))
    _ = try await session.start(requestedAt: 0)
    #expect(await states(session) == ["cam-0 running", "cam-1 interrupted"])
  }

  /// A parked camera does not make up for the last open one that an error stopped, and a camera that a commit adds may
  /// have to rest at once.
  @Test("L3: a session with parked cameras") func aSessionWithParkedCameras() async throws {
    let bench = Self.bench()
    let session = try await running(Self.configuration([0, 1], disabled: [0, 1]), in: bench)
    await bench.sessions.setPressure(PressureDemands(machine: .fake(.nominal), devices: ["fake-0": .fake(.shutdown)]))
    _ = try await session.configure(Self.configuration([0, 1], disabled: [1]), etag: "", validateOnly: false)
    #expect(await states(session) == ["cam-0 interrupted", "cam-1 stopped"])
    #expect(bench.devices.holders == ["fake-0": "s", "fake-1": "s"])
    await bench.sessions.setPressure(PressureDemands(machine: .fake(.nominal)))
    try await session.serially { _ in }
    #expect(await session.snapshot().status.state == .running)
    try await session.serially {
      await $0.apply(.sourceLost(CaptureError(.deviceFailed, "It broke.")), to: $0.pipelines[0])
    }
    #expect(await session.snapshot().status.state == .stopped)
    #expect(bench.devices.holders.isEmpty)
    #expect(bench.output("data-1")?.statuses.all.last?.state == .stopped)
    #expect(try await toldStates(session) == [.starting, .running, .interrupted, .running, .stopping, .stopped])
  }

  /// A session learns that a camera is lost while its calls wait, for example for a shot, also after another was lost.
  @Test("A12: the loss of two cameras is seen at once") func theLossOfTwoCamerasIsSeenAtOnce() async throws {
    let bench = Self.bench(clock: ManualClock())
    let session = try await running(Self.configuration([0, 1]), in: bench)
    let call = Gate()
    call.close()
    await session.enqueue { _ in await call.pass() }
    for camera in [1, 0] { bench.provider.disconnect("fake-\(camera)") }
    while await !session.haveLostTheirSources { await Task.yield() }
    call.open()
    await session.port.drain()
    #expect(await states(session) == ["cam-0 interrupted", "cam-1 interrupted"])
  }

  /// When a rest is over, all cameras are being opened before the first one is open.
  @Test("A12: cameras end their rest side by side") func camerasEndTheirRestSideBySide() async throws {
    let bench = Self.bench()
    let session = try await running(Self.configuration([0, 1]), in: bench)
    await session.setSystemAsleep(true)
    #expect(await states(session) == ["cam-0 interrupted", "cam-1 interrupted"])
    bench.provider.starting.close()
    let wake = Task { await session.setSystemAsleep(false) }
    _ = try await bench.provider.starting.arrivals.wait(count: 4)
    bench.provider.starting.open()
    await wake.value
    #expect(await states(session) == ["cam-0 running", "cam-1 running"])
  }

  /// While one of two restarted cameras may still fail, no output gets a frame of the new configuration.
  @Test("A9: no output gets frames of a commit that fails") func noOutputGetsFramesOfAFailedCommit() async throws {
    let bench = Self.bench()
    let session = try await running(Self.configuration([0, 1]), in: bench)
    let revision = await session.snapshot().revision
    bench.provider.failStarts(Self.busFull, of: "fake-1")
    bench.provider.started.close()
    let commit = Task {
      _ = try await session.configure(
        Self.configuration([0, 1]) { for place in 0..<2 { $0.inputs[place].frameRate = Rational(15, 1) } }, etag: "",
        validateOnly: false)
    }
    _ = try await bench.provider.started.arrivals.wait(count: 3)
    try source(0, in: bench).send()
    bench.provider.started.open()
    #expect(await reason { try await commit.value } == .bandwidthExceeded)
    #expect(bench.output("data-0")?.frames.all.allSatisfy { $0.configRevision == revision } == true)
    try source(0, in: bench).send()
    #expect(bench.output("data-0")?.frames.count == 1)
  }

  /// A camera that is unplugged, in use or hung does not keep a commit from changing the others. A commit that asks it
  /// for something else is refused.
  @Test("A9: a camera that is away refuses no commit") func aCameraThatIsAwayRefusesNoCommit() async throws {
    let bench = Self.bench(clock: ManualClock())
    let session = try await running(Self.configuration([0, 1]), in: bench)
    let first = try source(0, in: bench)
    bench.provider.disconnect("fake-1")
    _ = try await event(of: session) { if case .wasInterrupted(_, _, "cam-1") = $0 { true } else { false } }
    _ = try await session.configure(
      Self.configuration([0, 1]) { $0.inputs[0].frameRate = Rational(15, 1) }, etag: "", validateOnly: false)
    #expect(!first.isLive)
    #expect(await states(session) == ["cam-0 running", "cam-1 interrupted"])
    let other = Self.configuration([0, 1]) { $0.inputs[1].frameRate = Rational(15, 1) }
    #expect(await reason { _ = try await session.configure(other, etag: "", validateOnly: false) } == .deviceNotFound)
    #expect(await states(session) == ["cam-0 running", "cam-1 interrupted"])
  }
}

extension CaptureSession {
  /// Whether the session knows that the present sources of its cameras are lost.
  fileprivate var haveLostTheirSources: Bool { cameras.allSatisfy(\.sources.isLost) }
  /// What the outputs see of the session, in the order of their ids.
  fileprivate var views: [CameraOutputContext] { outputs.hosted.sorted { $0.key < $1.key }.map(\.value.view) }
}
