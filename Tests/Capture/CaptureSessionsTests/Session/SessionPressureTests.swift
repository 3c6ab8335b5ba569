import CaptureCore
import CaptureTestKit
import Testing

@testable import CaptureSessions

/// Tests how sessions react to pressure. A session rests at the level "shutdown"; below this level, it takes the steps
/// of the ladder if the client lets the server adapt.
@Suite struct SessionPressureTests {
  /// Sets the pressure of the machine.
  private func press(_ bench: Bench, _ level: PressureLevel) async {
    await bench.sessions.setPressure(PressureDemands(machine: .fake(level)))
  }

  /// All parts of a session that pressure may change.
  private func state(_ session: CaptureSession, _ bench: Bench) async -> [AnyHashable?] {
    [
      await session.snapshot().resolved, await session.adaptation, bench.output("preview")?.limits.all.last,
      await session.frames.ring.currentLimits,
    ]
  }

  /// At "shutdown" the session closes its device and reports the source of the pressure; at "critical" a new stream
  /// begins without a call of a client.
  @Test("A12: shutdown pressure interrupts a session, which resumes by itself when the pressure falls")
  func shutdownPressureInterruptsAndReliefResumes() async throws {
    let bench = Bench()
    let (session, source) = try await bench.running()
    await press(bench, .shutdown)
    let interrupted = try await event(of: session) {
      if case .wasInterrupted(.systemPressure, let error, _) = $0 { error.metadata["sources"] == "zone" } else { false }
    }
    #expect(!source.isLive, "the device is closed before watchers are told")
    await press(bench, .critical)
    let ended = try await event(of: session, after: interrupted.id) {
      if case .interruptionEnded = $0 { true } else { false }
    }
    guard case .interruptionEnded(let streamID, _) = ended.payload else { return }
    #expect(streamID == bench.provider.sources.all.last?.streamID)
    #expect(streamID != source.streamID)
    #expect(
      bench.output("preview")?.statuses.all.contains(SessionStatus(.interrupted, interruption: .systemPressure)) == true
    )
  }

  /// The start fails with `systemPressure`, and so does a second one, but the session is interrupted and claims its
  /// device without opening it. When the pressure falls, the session runs.
  @Test("A12: a session that is started at shutdown pressure runs when the pressure falls")
  func aStartAtShutdownPressureWaitsForRelief() async throws {
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

  /// Pressure does not hide that the device belongs to another session: the start fails with `deviceInUse` and the
  /// session stays stopped.
  @Test func aStartAtShutdownPressureOfAClaimedCameraFails() async throws {
    let bench = Bench()
    _ = try await bench.running()
    await press(bench, .shutdown)
    let other = try await bench.sessions.create(id: "other", idleTimeout: 0)
    _ = try await other.configure(Bench.configuration(), etag: "", validateOnly: false)
    #expect(await reason { _ = try await other.start(requestedAt: 0) } == .deviceInUse)
    #expect(await other.snapshot().status.state == .stopped)
  }

  /// A session whose camera was unplugged does not open the camera that is plugged in again while the pressure is at
  /// "shutdown". When the pressure falls, the session runs.
  @Test func aCameraThatReturnsAtShutdownPressureWaits() async throws {
    let clock = ManualClock()
    let bench = Bench(clock: clock)
    let (session, _) = try await bench.running()
    bench.provider.disconnect("fake-0")
    _ = try await event(of: session) { if case .wasInterrupted(.deviceDisconnected, _, _) = $0 { true } else { false } }
    await press(bench, .shutdown)
    let resting = try await event(of: session) {
      if case .wasInterrupted(.systemPressure, _, _) = $0 { true } else { false }
    }
    await press(bench, .nominal)
    _ = try await event(of: session, after: resting.id) {
      if case .wasInterrupted(.deviceDisconnected, _, _) = $0 { true } else { false }
    }
    bench.provider.connect(.fake())
    await press(bench, .shutdown)
    try await session.serially { _ in }
    clock.advance(by: .seconds(2))
    #expect(await session.snapshot().status.interruption == .systemPressure)
    await press(bench, .nominal)
    _ = try await event(of: session, after: resting.id) { $0 == .stateChanged(SessionStatus(.running)) }
  }

  /// As the pressure rises and falls, the session applies the steps in order and undoes them in reverse, and watchers
  /// get an event with the level and the causes for each. In the end everything is as before, and the device was not
  /// restarted.
  @Test("E4: a session takes the steps of the ladder in order, and relief restores its former state")
  func theSessionFollowsTheLadderUpAndDown() async throws {
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
      case .adaptationApplied(let step, let level, let causes, _): "+ \(step.limit) \(level) \(causes.map(\.source))"
      case .adaptationUndone(let step, let level, let causes, _): "- \(step.limit) \(level) \(causes.map(\.source))"
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
    #expect(source.isLive, "the device was not restarted")
  }

  /// Without the server's adaptation, pressure below "shutdown" changes nothing in the session and sends no event about
  /// steps.
  @Test("E4: a session whose client adapts by itself takes no steps") func aClientThatAdaptsByItselfIsNotLimited()
    async throws
  {
    let bench = Bench()
    let (session, _) = try await bench.running()
    let first = session.events.lastID
    await press(bench, .critical)
    try await session.serially { _ in }
    #expect(session.events.lastID == first)
    #expect(await session.snapshot().adaptationSteps.isEmpty)
    #expect(bench.output("preview")?.limits.all.last == PictureLimits())
  }

  /// A commit that lets the server adapt applies the steps of the present pressure, and a commit that ends this undoes
  /// them, without a restart of the device.
  @Test func aChangedAdaptationPolicyTakesEffectAtOnce() async throws {
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

  /// An output that a commit adds under pressure gets the present limits first, so that it never sends a picture that
  /// is too large.
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

  /// While a step limits the rate, the lower one of the limit and the client's rate counts. Relief brings back the
  /// client's rate. A new stream under pressure has the limit from its first frame.
  @Test func rateLimitsOutlastAStreamAndTheClientsRateReturns() async throws {
    let bench = Bench()
    let (session, source) = try await bench.running { $0.adaptationPolicy = .server }
    try await session.setActiveFrameRate(Rational(15, 1), of: "fake-0")
    await press(bench, .critical)
    try await session.serially { _ in }
    let photo = try #require(bench.output("photo"))
    for _ in 0..<12 { source.send(count: 1) }
    #expect(photo.frames.count == 2, "outputs get 5 of 30 frames per second")
    await press(bench, .nominal)
    try await session.serially { _ in }
    for _ in 0..<12 { source.send(count: 1) }
    #expect(photo.frames.count == 8, "outputs get 15 of 30 frames per second")
    await press(bench, .shutdown)
    // Only the newest pressure counts, so the session has to have rested before the next one comes.
    try await session.serially { _ in }
    await press(bench, .critical)
    _ = try await event(of: session) { if case .interruptionEnded = $0 { true } else { false } }
    let next = try #require(bench.provider.sources.all.last)
    for _ in 0..<12 { next.send(count: 1) }
    #expect(photo.frames.count == 10, "outputs get 5 of 30 frames per second of the new stream too")
  }

  /// Shutdown pressure of one camera does not interrupt a session with another camera. A session that swaps the hot
  /// camera in is interrupted.
  @Test func aHotCameraAffectsOnlyItsOwnSession() async throws {
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
