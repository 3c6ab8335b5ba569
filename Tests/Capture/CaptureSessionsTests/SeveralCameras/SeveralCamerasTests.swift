import CaptureCore
import CaptureTestKit
import Testing

@testable import CaptureSessions

/// Tests how several cameras of one session start, and which of them a session keeps closed.
@Suite(.timeLimit(.minutes(1))) struct SeveralCamerasTests {
  /// Each output gets the frames of its camera, under the name of the input.
  @Test("L1: several cameras run at once") func eachOutputHasItsCamera() async throws {
    let bench = Bench.ofCameras()
    let session = try await bench.run(.cameras([0, 1, 2]))
    #expect(await session.inputStates == ["cam-0 running", "cam-1 running", "cam-2 running"])
    for camera in 0..<3 { try bench.source(camera).send(count: camera + 1) }
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
    let bench = Bench.ofCameras()
    bench.provider.starting.close()
    let session = try await bench.sessions.create(id: "s", idleTimeout: 0)
    _ = try await session.configure(.cameras([0, 1, 2]), etag: "", validateOnly: false)
    let start = Task { try await session.start(requestedAt: 0) }
    _ = try await bench.provider.starting.arrivals.wait(count: 3)
    #expect(await session.snapshot().status.state == .starting)
    bench.provider.starting.open()
    #expect(try await start.value.status.state == .running)
    #expect(try await session.toldStates() == [.starting, .running])
    #expect(await session.launchTimeline().cameras.keys.sorted() == ["cam-0", "cam-1", "cam-2"])
  }

  /// When one camera cannot be opened, the start fails, and the session holds no camera.
  @Test("L1: a start fails as a whole") func aStartFailsAsAWhole() async throws {
    let bench = Bench.ofCameras()
    bench.provider.failStarts(.busFull, of: "fake-1")
    let session = try await bench.sessions.create(id: "s", idleTimeout: 0)
    _ = try await session.configure(.cameras([0, 1, 2]), etag: "", validateOnly: false)
    #expect(await reason { _ = try await session.start(requestedAt: 0) } == .bandwidthExceeded)
    #expect(bench.devices.holders.isEmpty)
    #expect(bench.provider.sources.all.allSatisfy { !$0.isLive })
    #expect(await session.snapshot().status.state == .stopped)
    #expect(try await session.toldStates() == [.starting, .stopped])
  }

  /// A session that the operator declared runs with the cameras that can run. One that is in use is interrupted, and
  /// joins the others when it is free.
  @Test("L1: a declared session runs with the cameras that are free") func aDeclaredSessionRunsWithFreeCameras()
    async throws
  {
    let clock = ManualClock()
    let bench = Bench.ofCameras(clock: clock)
    bench.provider.failStarts(CaptureError(.deviceInUse, "Another program has it."), of: "fake-1")
    let session = try await bench.sessions.create(id: "s", idleTimeout: 0)
    try await DeclaredStart(session, .cameras([0, 1, 2])).run()
    #expect(await session.inputStates == ["cam-0 running", "cam-1 interrupted", "cam-2 running"])
    #expect(await session.snapshot().status.state == .running)
    bench.provider.failStarts(nil)
    while clock.sleeping == 0 { await Task.yield() }
    clock.advance(by: .seconds(1))
    _ = try await event(of: session) {
      if case .interruptionEnded(_, let input) = $0 { input == "cam-1" } else { false }
    }
  }

  /// A deferred camera opens when deferred start runs, and not before; after a stop it waits again.
  @Test("L1: a deferred camera opens with deferred start") func aDeferredCameraOpensLater() async throws {
    let bench = Bench.ofCameras()
    let configuration = SessionConfiguration.cameras([0, 1]) {
      $0.inputs[1].deferredStart = true
      $0.automaticallyRunsDeferredStart = false
    }
    let session = try await bench.run(configuration)
    for _ in 0..<2 {
      #expect(await session.inputStates == ["cam-0 running", "cam-1 stopped"])
      try await session.runDeferredStart()
      await session.deferredStartEnded()
      try await session.serially { _ in }
      #expect(await session.inputStates == ["cam-0 running", "cam-1 running"])
      _ = try await session.stop(etag: "")
      _ = try await session.start(requestedAt: 0)
    }
  }

  /// An output that is not deferred is prepared when its camera is opened. Deferred start is over after that, because a
  /// capture of a deferred camera then takes its photo.
  @Test("L1: deferred start prepares all outputs of a camera") func allOutputsOfACameraArePrepared() async throws {
    let bench = Bench.ofCameras()
    let session = try await bench.run(
      .cameras([0, 1]) {
        $0.inputs[1].deferredStart = true
        $0.automaticallyRunsDeferredStart = false
      })
    let output = try #require(bench.output("data-1"))
    #expect(output.prepared.all.isEmpty)
    output.delayPreparation(turns: 1000)
    try await session.runDeferredStartAndWait()
    #expect(output.prepared.all.count == 1)
  }

  /// A deferred camera that is open waits for deferred start again after a commit, a stop and a start.
  @Test("L1: a deferred camera opens again after a commit") func aDeferredCameraOpensAgainAfterACommit() async throws {
    let bench = Bench.ofCameras()
    var configuration = SessionConfiguration.cameras([0, 1]) {
      $0.inputs[1].deferredStart = true
      $0.automaticallyRunsDeferredStart = false
    }
    let session = try await bench.run(configuration)
    func runDeferredStart() async throws {
      try await session.runDeferredStart()
      await session.deferredStartEnded()
      try await session.serially { _ in }
    }
    try await runDeferredStart()
    configuration.connections[0].isMirrored = true
    _ = try await session.configure(configuration, etag: "", validateOnly: false)
    #expect(await session.inputStates == ["cam-0 running", "cam-1 running"])
    _ = try await session.stop(etag: "")
    _ = try await session.start(requestedAt: 0)
    #expect(await session.inputStates == ["cam-0 running", "cam-1 stopped"])
    #expect(bench.output("data-1")?.statuses.all.last?.state == .running)
    try await runDeferredStart()
    #expect(await session.inputStates == ["cam-0 running", "cam-1 running"])
  }

  /// A camera that no output takes does not open by itself, whoever holds it when the session starts.
  @Test("L1: a retry opens no closed camera") func aRetryOpensNoClosedCamera() async throws {
    let clock = ManualClock()
    let bench = Bench.ofCameras(clock: clock)
    try bench.devices.claim("fake-1", for: "other")
    let session = try await bench.sessions.create(id: "s", idleTimeout: 0)
    try await DeclaredStart(session, .cameras([0, 1], disabled: [1])).run()
    #expect(await session.inputStates == ["cam-0 running", "cam-1 stopped"])
    #expect(clock.sleeping == 0)
  }

  /// A camera that was absent when the session was configured stays closed when it comes and no output takes it.
  @Test("L1: an absent camera that stays closed is parked") func anAbsentCameraThatStaysClosedIsParked() async throws {
    let clock = ManualClock()
    let bench = Bench.ofCameras(clock: clock)
    for camera in 0..<2 { bench.provider.disconnect("fake-\(camera)") }
    let session = try await bench.sessions.create(id: "s", idleTimeout: 0)
    try await DeclaredStart(session, .cameras([0, 1], disabled: [0])).run()
    #expect(await session.snapshot().status.state == .interrupted)
    let looks = bench.provider.looks.count
    bench.provider.connect(.fake(id: "fake-0"))
    try await session.serially { await CameraLife($0.pipelines[0], in: $0).retry(in: $0) }
    #expect(bench.provider.looks.count == looks, "the session waits for the second camera without asking the first")
    bench.provider.connect(.fake(id: "fake-1"))
    try await session.serially { await CameraLife($0.pipelines[0], in: $0).retry(in: $0) }
    #expect(await session.inputStates == ["cam-0 stopped", "cam-1 running"])
    #expect(bench.output("data-1")?.prepared.count == 1)
  }

  /// When the last camera of a declared session comes, those that are free run, also beside one that another program or
  /// another session has.
  @Test("L1: a late camera does not make free ones wait for a busy one", arguments: [false, true])
  func aLateCameraBesideABusyOne(isHeld: Bool) async throws {
    let clock = ManualClock()
    let bench = Bench.ofCameras(clock: clock)
    bench.provider.disconnect("fake-0")
    if isHeld {
      try bench.devices.claim("fake-1", for: "other")
    } else {
      bench.provider.failStarts(CaptureError(.deviceInUse, "Another program has it."), of: "fake-1")
    }
    let session = try await bench.sessions.create(id: "s", idleTimeout: 0)
    try await DeclaredStart(session, .cameras([0, 1, 2])).run()
    #expect(await session.snapshot().status.state == .interrupted)
    bench.provider.connect(.fake(id: "fake-0"))
    try await session.serially { await CameraLife($0.pipelines[0], in: $0).retry(in: $0) }
    #expect(await session.inputStates == ["cam-0 running", "cam-1 interrupted", "cam-2 running"])
    #expect(await session.snapshot().inputStatus.map(\.status.interruption) == [nil, .deviceInUse, nil])
    #expect(bench.provider.sources.all.map(\.deviceID) == ["fake-2", "fake-0"])
    bench.provider.failStarts(nil)
    bench.devices.release(from: "other")
    while clock.sleeping == 0 { await Task.yield() }
    clock.advance(by: .seconds(1))
    _ = try await event(of: session) {
      if case .interruptionEnded(_, let input) = $0 { input == "cam-1" } else { false }
    }
  }
}
