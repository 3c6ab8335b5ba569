import CaptureCore
import CaptureTestKit
import Testing

@testable import CaptureSessions

/// Tests of losses and rests of one of several cameras, which leave the others alone.
@Suite(.timeLimit(.minutes(1))) struct SeveralCamerasLossTests {
  /// A camera that is lost interrupts itself alone. The session is interrupted when every camera is, and runs again
  /// when one is back.
  @Test("L1: an interruption is that of one camera") func anInterruptionIsThatOfOneCamera() async throws {
    let clock = ManualClock()
    let bench = Bench.ofCameras(clock: clock)
    let session = try await bench.run(.cameras([0, 1]))
    let first = try bench.source(0)
    bench.provider.disconnect("fake-1")
    _ = try await event(of: session) {
      if case .wasInterrupted(.deviceDisconnected, _, let input) = $0 { input == "cam-1" } else { false }
    }
    await session.port.drain()
    #expect(await session.inputStates == ["cam-0 running", "cam-1 interrupted"])
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
    #expect(await session.inputStates == ["cam-0 interrupted", "cam-1 running"])
  }

  /// A client gets suggestions for a configuration that the session takes.
  @Test("E6: a camera that is away keeps no suggestion back") func aCameraThatIsAwayKeepsNoSuggestionBack()
    async throws
  {
    let bench = Bench.ofCameras(clock: ManualClock())
    let session = try await bench.run(.cameras([0, 1]))
    bench.provider.disconnect("fake-1")
    _ = try await event(of: session) {
      if case .wasInterrupted(.deviceDisconnected, _, let input) = $0 { input == "cam-1" } else { false }
    }
    await session.port.drain()
    #expect(await reason { _ = try await session.suggestLowerCost(of: nil) } == nil)
    let wanted = SessionConfiguration.cameras([0, 1]) { $0.inputs[0].frameRate = Rational(15, 1) }
    #expect(await reason { _ = try await session.suggestLowerCost(of: wanted) } == nil)
    #expect(try await session.configure(wanted, etag: "", validateOnly: true).issues.isEmpty)
  }

  /// A session learns that a camera is lost while its calls wait, for example for a shot, also after another was lost.
  @Test("A12: the loss of two cameras is seen at once") func theLossOfTwoCamerasIsSeenAtOnce() async throws {
    let bench = Bench.ofCameras(clock: ManualClock())
    let session = try await bench.run(.cameras([0, 1]))
    let call = Gate()
    call.close()
    await session.enqueue { _ in await call.pass() }
    for camera in [1, 0] { bench.provider.disconnect("fake-\(camera)") }
    while await !session.haveLostTheirSources { await Task.yield() }
    call.open()
    await session.port.drain()
    #expect(await session.inputStates == ["cam-0 interrupted", "cam-1 interrupted"])
  }

  /// A camera that is lost while deferred start runs does not keep the deferred camera closed.
  @Test("L1: a deferred camera opens while the other is away") func aDeferredCameraOpensBesideALostOne() async throws {
    let bench = Bench.ofCameras(clock: ManualClock())
    let configuration = SessionConfiguration.cameras([0, 1]) {
      $0.inputs[1].deferredStart = true
      $0.automaticallyRunsDeferredStart = false
    }
    let session = try await bench.run(configuration)
    try await session.serially { session in
      await session.apply(.sourceLost(CaptureError(.deviceNotFound, "It is gone.")), to: session.pipelines[0])
      await session.openDeferredCameras()
    }
    #expect(await session.inputStates == ["cam-0 interrupted", "cam-1 running"])
  }

  /// The rest of a camera that is too hot is not that of the other one.
  @Test("A12: pressure of one camera interrupts it alone") func pressureOfOneCameraInterruptsItAlone() async throws {
    let bench = Bench.ofCameras()
    let session = try await bench.run(.cameras([0, 1]))
    await bench.sessions.setPressure(PressureDemands(machine: .fake(.nominal), devices: ["fake-1": .fake(.shutdown)]))
    _ = try await event(of: session) {
      if case .wasInterrupted(.systemPressure, _, let input) = $0 { input == "cam-1" } else { false }
    }
    try await session.serially { _ in }
    #expect(await session.inputStates == ["cam-0 running", "cam-1 interrupted"])
    await bench.sessions.setPressure(PressureDemands(machine: .fake(.nominal)))
    _ = try await event(of: session) {
      if case .interruptionEnded(_, let input) = $0 { input == "cam-1" } else { false }
    }
  }

  /// A start of a running session opens no camera that must rest.
  @Test("A12: a start lets a stopped camera rest") func aStartLetsAStoppedCameraRest() async throws {
    let bench = Bench.ofCameras()
    let session = try await bench.run(.cameras([0, 1]))
    try await session.serially {
      await $0.apply(.sourceLost(CaptureError(.deviceFailed, "It broke.")), to: $0.pipelines[1])
    }
    #expect(await session.inputStates == ["cam-0 running", "cam-1 stopped"])
    #expect(await session.snapshot().inputStatus.map(\.error?.reason) == [nil, .deviceFailed])
    await bench.sessions.setPressure(PressureDemands(machine: .fake(.nominal), devices: ["fake-1": .fake(.shutdown)]))
    _ = try await session.start(requestedAt: 0)
    #expect(await session.inputStates == ["cam-0 running", "cam-1 interrupted"])
  }

  /// A parked camera does not make up for the last open one that an error stopped, and a camera that a commit adds may
  /// have to rest at once.
  @Test("L3: a session with parked cameras") func aSessionWithParkedCameras() async throws {
    let bench = Bench.ofCameras()
    let session = try await bench.run(.cameras([0, 1], disabled: [0, 1]))
    await bench.sessions.setPressure(PressureDemands(machine: .fake(.nominal), devices: ["fake-0": .fake(.shutdown)]))
    _ = try await session.configure(.cameras([0, 1], disabled: [1]), etag: "", validateOnly: false)
    #expect(await session.inputStates == ["cam-0 interrupted", "cam-1 stopped"])
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
    #expect(try await session.toldStates() == [.starting, .running, .interrupted, .running, .stopping, .stopped])
  }

  /// When a rest is over, all cameras are being opened before the first one is open.
  @Test("A12: cameras end their rest side by side") func camerasEndTheirRestSideBySide() async throws {
    let bench = Bench.ofCameras()
    let session = try await bench.run(.cameras([0, 1]))
    await session.setSystemAsleep(true)
    #expect(await session.inputStates == ["cam-0 interrupted", "cam-1 interrupted"])
    bench.provider.starting.close()
    let wake = Task { await session.setSystemAsleep(false) }
    _ = try await bench.provider.starting.arrivals.wait(count: 4)
    bench.provider.starting.open()
    await wake.value
    #expect(await session.inputStates == ["cam-0 running", "cam-1 running"])
  }
}

extension CaptureSession {
  /// Whether the session knows that the present sources of its cameras are lost.
  fileprivate var haveLostTheirSources: Bool { cameras.allSatisfy(\.sources.isLost) }
}
