import CaptureCore
import CaptureTestKit
import Testing

@testable import CaptureSessions

@Suite struct SessionPressureTests {
  private func press(_ bench: Bench, _ level: PressureLevel) async {
    await bench.sessions.setPressure(PressureDemands(machine: .fake(level)))
  }

  /// Everything that pressure may change.
  private func state(_ session: CaptureSession, _ bench: Bench) async -> [AnyHashable?] {
    [
      await session.snapshot().resolved, await session.adaptation, bench.output("preview")?.limits.all.last,
      await session.frames.ring.currentLimits,
    ]
  }

  @Test("A12: shutdown interrupts, and relief resumes without a call") func shutdownInterrupts() async throws {
    let bench = Bench()
    let (session, source) = try await bench.running()
    await press(bench, .shutdown)
    let interrupted = try await event(of: session) {
      if case .wasInterrupted(.systemPressure, let error) = $0 { error.metadata["sources"] == "zone" } else { false }
    }
    #expect(!source.isLive, "the device is closed before anybody hears of it")
    await press(bench, .critical)
    let ended = try await event(of: session, after: interrupted.id) {
      if case .interruptionEnded = $0 { true } else { false }
    }
    guard case .interruptionEnded(let streamID) = ended.payload else { return }
    #expect(streamID == bench.provider.sources.all.last?.streamID)
    #expect(streamID != source.streamID)
    #expect(
      bench.output("preview")?.statuses.all.contains(SessionStatus(.interrupted, interruption: .systemPressure)) == true
    )
  }

  @Test("A12: a start at shutdown is an intent") func aStartAtShutdownIsAnIntent() async throws {
    let bench = Bench()
    await press(bench, .shutdown)
    let session = try await bench.sessions.create(id: "s", idleTimeout: 0)
    _ = try await session.configure(Bench.configuration(), etag: "", validateOnly: false)
    #expect(await reason { _ = try await session.start(requestedAt: 0) } == .systemPressure)
    #expect(await reason { _ = try await session.start(requestedAt: 0) } == .systemPressure)
    #expect(await session.snapshot().status == SessionStatus(.interrupted, interruption: .systemPressure))
    #expect(bench.provider.sources.count == 0)
    #expect(bench.devices.holder(of: "fake-0") == "s")
    await press(bench, .nominal)
    _ = try await event(of: session) { $0 == .stateChanged(SessionStatus(.running)) }
  }

  @Test func aStartAtShutdownOfATakenCameraIsNone() async throws {
    let bench = Bench()
    _ = try await bench.running()
    await press(bench, .shutdown)
    let other = try await bench.sessions.create(id: "other", idleTimeout: 0)
    _ = try await other.configure(Bench.configuration(), etag: "", validateOnly: false)
    #expect(await reason { _ = try await other.start(requestedAt: 0) } == .deviceInUse)
    #expect(await other.snapshot().status.state == .stopped)
  }

  @Test func aCameraThatComesAtShutdownWaits() async throws {
    let clock = ManualClock()
    let bench = Bench(clock: clock)
    let (session, _) = try await bench.running()
    bench.provider.disconnect("fake-0")
    _ = try await event(of: session) { if case .wasInterrupted(.deviceDisconnected, _) = $0 { true } else { false } }
    await press(bench, .shutdown)
    let resting = try await event(of: session) {
      if case .wasInterrupted(.systemPressure, _) = $0 { true } else { false }
    }
    await press(bench, .nominal)
    _ = try await event(of: session, after: resting.id) {
      if case .wasInterrupted(.deviceDisconnected, _) = $0 { true } else { false }
    }
    bench.provider.connect(.fake())
    await press(bench, .shutdown)
    try await session.serially { _ in }
    clock.advance(by: .seconds(2))
    #expect(await session.snapshot().status.interruption == .systemPressure)
    await press(bench, .nominal)
    _ = try await event(of: session, after: resting.id) { $0 == .stateChanged(SessionStatus(.running)) }
  }

  @Test("E4: the ladder is climbed, and what it leaves is what was before") func followsTheLadder() async throws {
    let bench = Bench()
    let (session, source) = try await bench.running { $0.adaptationPolicy = .server }
    let before = await state(session, bench)
    let first = session.events.lastID
    for level in [PressureLevel.serious, .critical, .serious, .nominal] {
      await press(bench, level)
      try await session.serially { _ in }
      #expect(await session.snapshot().adaptationSteps == PressureDemand.fake(level).steps)
    }
    let told = try await events(of: session, after: first).map { event -> String in
      switch event {
      case .adaptationApplied(let step, let level, let causes): "+ \(step.limit) \(level) \(causes.map(\.source))"
      case .adaptationUndone(let step, let level, let causes): "- \(step.limit) \(level) \(causes.map(\.source))"
      default: "\(event)"
      }
    }
    #expect(
      told == [
        "+ previewSide(640) serious [\"zone\"]", "+ previewRate(10/1) serious [\"zone\"]",
        "+ ringWindow(100000000) serious [\"zone\"]", "+ deviceRate(5/1) critical [\"zone\"]",
        "- deviceRate(5/1) serious [\"zone\"]", "- ringWindow(100000000) nominal []",
        "- previewRate(10/1) nominal []", "- previewSide(640) nominal []",
      ])
    #expect(await state(session, bench) == before)
    #expect(source.isLive, "the device was not touched")
  }

  @Test("E4: a client that adapts itself is left alone") func theClientAdaptsItself() async throws {
    let bench = Bench()
    let (session, _) = try await bench.running()
    let first = session.events.lastID
    await press(bench, .critical)
    try await session.serially { _ in }
    #expect(session.events.lastID == first)
    #expect(await session.snapshot().adaptationSteps.isEmpty)
    #expect(bench.output("preview")?.limits.all.last == PictureLimits())
  }

  @Test func anotherPolicyTakesEffectAtOnce() async throws {
    let bench = Bench()
    let (session, source) = try await bench.running()
    await press(bench, .serious)
    let server = Bench.configuration { $0.adaptationPolicy = .server }
    _ = try await session.configure(server, etag: "", validateOnly: false)
    #expect(await session.snapshot().adaptationSteps.count == 3)
    _ = try await session.configure(Bench.configuration(), etag: "", validateOnly: false)
    #expect(await session.snapshot().adaptationSteps.isEmpty)
    #expect(source.isLive)
  }

  @Test func anOutputAddedUnderPressureIsLimitedFromItsFirstFrame() async throws {
    let bench = Bench()
    let (session, _) = try await bench.running { $0.adaptationPolicy = .server }
    await press(bench, .serious)
    let wall = Bench.configuration {
      $0.adaptationPolicy = .server
      $0.additionalPreviews = [.init(id: "wall")]
    }
    _ = try await session.configure(wall, etag: "", validateOnly: false)
    #expect(bench.output("wall")?.limits.all == [PictureLimits(side: 640)])
  }

  @Test func ratesOutliveAStreamAndAClientsOwnComesBack() async throws {
    let bench = Bench()
    let (session, source) = try await bench.running { $0.adaptationPolicy = .server }
    try await session.setActiveFrameRate(Rational(15, 1), of: "fake-0")
    await press(bench, .critical)
    try await session.serially { _ in }
    let photo = try #require(bench.output("photo"))
    for _ in 0..<12 { source.send(count: 1) }
    #expect(photo.frames.count == 2, "5 of 30 a second")
    await press(bench, .nominal)
    try await session.serially { _ in }
    for _ in 0..<12 { source.send(count: 1) }
    #expect(photo.frames.count == 8, "15 of 30 a second")
    await press(bench, .shutdown)
    await press(bench, .critical)
    _ = try await event(of: session) { if case .interruptionEnded = $0 { true } else { false } }
    let next = try #require(bench.provider.sources.all.last)
    for _ in 0..<12 { next.send(count: 1) }
    #expect(photo.frames.count == 10, "5 of 30 a second, also of the new stream")
  }

  @Test func aHotCameraIsItsOwnSessionsAffair() async throws {
    let bench = Bench(devices: [.fake(), .fake(id: "fake-1")])
    let (session, source) = try await bench.running()
    await bench.sessions.setPressure(PressureDemands(devices: ["fake-1": .fake(.shutdown)]))
    try await session.serially { _ in }
    #expect(source.isLive)
    let swapped = Bench.configuration { $0.inputs[0].deviceID = "fake-1" }
    _ = try await session.configure(swapped, etag: "", validateOnly: false)
    #expect(await session.snapshot().status.interruption == .systemPressure)
  }
}
