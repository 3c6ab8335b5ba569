import CaptureCore
import CaptureTestKit
import Testing

@testable import CaptureSessions

/// Tests of sessions with a composition, whose pictures a fake makes.
@Suite(.timeLimit(.minutes(1))) struct CompositionSessionTests {
  static let small = Size(width: 320, height: 180)

  /// Two cameras, and the composition `both` of them with an output of its own.
  static func configuration(
    of shown: [Int] = [0, 1], isEnabled: Bool = true, size: Size = Size(width: 640, height: 360)
  ) -> SessionConfiguration {
    var configuration = SessionConfiguration()
    configuration.inputs = (0..<2).map { .init(id: "cam-\($0)", deviceID: "fake-\($0)") }
    var both = SessionConfiguration.Input(id: "both", deviceID: "")
    both.composition = .init(
      size: size,
      layers: shown.enumerated().map {
        CompositionLayer(input: "cam-\($1)", rectangle: .init(x: 0, y: 180 * $0, size: small))
      })
    configuration.inputs.append(both)
    configuration.videoData = [.init(id: "data")]
    configuration.connections = [.init(input: "both", output: "data", isEnabled: isEnabled)]
    return configuration
  }

  static func bench(clock: any Clock<Duration> = ContinuousClock()) -> Bench {
    Bench(devices: (0..<2).map { .fake(id: "fake-\($0)") }, clock: clock)
  }

  func running(_ bench: Bench) async throws -> CaptureSession {
    let session = try await bench.sessions.create(id: "s", idleTimeout: 0)
    _ = try await session.configure(Self.configuration(), etag: "", validateOnly: false)
    _ = try await session.start(requestedAt: 1)
    return session
  }

  func camera(_ number: Int, in bench: Bench) throws -> FakeSource {
    try #require(bench.provider.sources.all.last { $0.deviceID == "fake-\(number)" })
  }

  func composition(in bench: Bench) throws -> FakeComposition { try #require(bench.compositions.all.last) }

  func states(_ session: CaptureSession) async -> [String] {
    await session.snapshot().inputStatus.map { "\($0.input) \($0.status.state)" }
  }

  /// The composition gets the frames of both cameras, which no output takes, and its own go to the output.
  @Test("L1: a composition is an input") func aCompositionIsAnInput() async throws {
    let bench = Self.bench()
    let session = try await running(bench)
    #expect(await states(session) == ["cam-0 running", "cam-1 running", "both running"])
    #expect(await session.snapshot().inputStatus.map(\.deviceID) == ["fake-0", "fake-1", ""])
    #expect(bench.devices.holders == ["fake-0": "s", "fake-1": "s"])
    let both = try composition(in: bench)
    for number in 0..<2 { try camera(number, in: bench).send(count: number + 1) }
    #expect(both.frames.all.map(\.input) == ["cam-0", "cam-1", "cam-1"])
    let source = try #require(both.sources.all.last)
    #expect(source.format.layout.size == Size(width: 640, height: 360))
    source.send()
    let frames = try #require(bench.output("data")).frames.all
    #expect(frames.map(\.input) == ["both"])
    #expect(try await session.stop(etag: "").status.state == .stopped)
    #expect(!source.isLive && bench.devices.holders.isEmpty)
    #expect(await states(session) == ["cam-0 stopped", "cam-1 stopped", "both stopped"])
  }

  /// Other layers restart neither a camera nor the composition.
  @Test("L1: a change of layers restarts nothing") func otherLayersRestartNothing() async throws {
    let bench = Self.bench()
    let session = try await running(bench)
    let both = try composition(in: bench)
    let sources = try [camera(0, in: bench), camera(1, in: bench), #require(both.sources.all.last)]
    let result = try await session.configure(Self.configuration(of: [1, 0]), etag: "", validateOnly: false)
    #expect(!result.reconfigured)
    #expect(both.plans.all.last?.layers.map(\.input) == ["cam-1", "cam-0"])
    #expect(both.plans.all.last?.revision == result.snapshot.revision)
    #expect(both.plans.all.last?.cameras == ["cam-0": "fake-0", "cam-1": "fake-1"])
    #expect(sources.allSatisfy { $0.isLive })
    #expect(bench.provider.sources.count == 2 && both.sources.count == 1 && bench.compositions.count == 1)
  }

  /// A composition of another size streams anew, with layers that fit before it does.
  @Test("L1: another size restarts the composition alone") func anotherSizeRestartsTheCompositionAlone() async throws {
    let bench = Self.bench()
    let session = try await running(bench)
    let wanted = Self.configuration(of: [1], size: Self.small)
    #expect(try await session.configure(wanted, etag: "", validateOnly: false).reconfigured)
    let both = try composition(in: bench)
    #expect(both.sources.all.map(\.isLive) == [false, true])
    #expect(both.sources.all.last?.format.layout.size == Self.small)
    #expect(both.plans.all.last?.layers.map(\.input) == ["cam-1"])
    #expect(try camera(1, in: bench).isLive && bench.provider.sources.count == 2)
  }

  /// Without an enabled connection of the composition, the cameras are closed as well, until it has one again.
  @Test("L1: a composition that no output takes closes its cameras") func cameras() async throws {
    let bench = Self.bench()
    let session = try await running(bench)
    _ = try await session.configure(Self.configuration(isEnabled: false), etag: "", validateOnly: false)
    #expect(await states(session) == ["cam-0 stopped", "cam-1 stopped", "both stopped"])
    #expect(await session.snapshot().status.state == .running)
    _ = try await session.configure(Self.configuration(of: [1]), etag: "", validateOnly: false)
    #expect(await states(session) == ["cam-0 stopped", "cam-1 running", "both running"])
    _ = try await session.configure(Self.configuration(), etag: "", validateOnly: false)
    #expect(await states(session) == ["cam-0 running", "cam-1 running", "both running"])
  }

  /// The only camera of a session stays open, also when nobody takes a composition of it.
  @Test("L1: a composition that no output takes leaves the only camera open") func theOnlyCamera() async throws {
    let bench = Self.bench()
    let session = try await running(bench)
    var wanted = Self.configuration(of: [1], isEnabled: false)
    wanted.inputs.remove(at: 0)
    _ = try await session.configure(wanted, etag: "", validateOnly: false)
    #expect(await states(session) == ["cam-1 running", "both stopped"])
    #expect(await session.snapshot().status.state == .running)
    #expect(try camera(1, in: bench).isLive && bench.provider.sources.count == 2)
  }

  /// A composition whose first layer is silent is interrupted while the session runs, and then waits without an end,
  /// each time that this happens.
  @Test("L1: a silent first layer interrupts the composition alone") func aSilentFirstLayer() async throws {
    let bench = Self.bench(clock: ManualClock())
    let session = try await running(bench)
    let both = try composition(in: bench)
    let error = CaptureError.stalled(composition: "both", input: "cam-0", silence: 1_000_000_000)
    var position: UInt64 = 0
    for stalls in 1...3 {
      let source = try #require(both.sources.all.last)
      source.stall(error)
      source.lose(error)
      position = try await event(of: session, after: position) {
        if case .wasInterrupted(.deviceStalled, _, let input) = $0 { input == "both" } else { false }
      }.id
      await session.port.drain()
      try await session.serially { _ in }
      #expect(await session.snapshot().status == SessionStatus(.running))
      #expect(await states(session) == ["cam-0 running", "cam-1 running", "both interrupted"])
      try #require(both.sources.count == stalls + 1)
      let waiting = try #require(both.sources.all.last)
      #expect(waiting.request.patience.firstFrame > 3_600_000_000_000)
      #expect(waiting.request.patience.betweenFrames == StallPatience().betweenFrames)
      waiting.send()
      position = try await event(of: session, after: position) {
        if case .interruptionEnded(_, let input) = $0 { input == "both" } else { false }
      }.id
      await session.port.drain()
      #expect(await states(session) == ["cam-0 running", "cam-1 running", "both running"])
    }
  }

  /// The layers can change while a camera is away.
  @Test("L1: a camera that is away keeps no layer from moving") func layersMoveWhileACameraIsAway() async throws {
    let bench = Self.bench(clock: ManualClock())
    let session = try await running(bench)
    let both = try composition(in: bench)
    bench.provider.disconnect("fake-1")
    _ = try await event(of: session) {
      if case .wasInterrupted(.deviceDisconnected, _, let input) = $0 { input == "cam-1" } else { false }
    }
    await session.port.drain()
    let result = try await session.configure(Self.configuration(of: [1, 0]), etag: "", validateOnly: false)
    #expect(!result.reconfigured && both.plans.all.last?.layers.map(\.input) == ["cam-1", "cam-0"])
    #expect(await states(session) == ["cam-0 running", "cam-1 interrupted", "both running"])
    #expect(both.sources.count == 1)
  }

  /// When errors have stopped all cameras, the session has stopped, and its composition with it.
  @Test("L1: a composition stops with its cameras") func aCompositionStopsWithItsCameras() async throws {
    let bench = Self.bench()
    let session = try await running(bench)
    let source = try #require(composition(in: bench).sources.all.last)
    for number in 0..<2 { try camera(number, in: bench).lose(CaptureError(.deviceFailed, "The driver failed.")) }
    _ = try await event(of: session) { $0 == .stateChanged(SessionStatus(.stopped)) }
    await session.port.drain()
    try await session.serially { _ in }
    #expect(await states(session) == ["cam-0 stopped", "cam-1 stopped", "both stopped"])
    #expect(!source.isLive)
    _ = try await session.start(requestedAt: 2)
    #expect(await states(session) == ["cam-0 running", "cam-1 running", "both running"])
  }

  /// A commit may replace a composition by a camera, and the camera by a composition.
  @Test("L1: a camera and a composition take each other's place") func eachTakesThePlaceOfTheOther() async throws {
    let bench = Bench(devices: (0..<3).map { .fake(id: "fake-\($0)") })
    let session = try await running(bench)
    var wanted = Self.configuration()
    wanted.inputs[2] = .init(id: "cam-2", deviceID: "fake-2")
    wanted.connections = [.init(input: "cam-2", output: "data")]
    _ = try await session.configure(wanted, etag: "", validateOnly: false)
    #expect(await states(session) == ["cam-0 stopped", "cam-1 stopped", "cam-2 running"])
    #expect(bench.devices.holders.keys.sorted() == ["fake-0", "fake-1", "fake-2"])
    #expect(bench.compositions.all.map(\.closings.count) == [1])
    _ = try await session.configure(Self.configuration(), etag: "", validateOnly: false)
    #expect(await states(session) == ["cam-0 running", "cam-1 running", "both running"])
    #expect(bench.devices.holders.keys.sorted() == ["fake-0", "fake-1"])
    #expect(try !camera(2, in: bench).isLive && composition(in: bench).sources.all.map(\.isLive) == [true])
  }

  /// A commit that fails leaves the composition as it was. The composition shows no frame of a camera that streamed
  /// otherwise meanwhile, because its own frames have the former revision.
  @Test("A9: a failed commit leaves the composition alone") func aFailedCommitLeavesTheCompositionAlone() async throws {
    let bench = Self.bench()
    let session = try await running(bench)
    let both = try composition(in: bench)
    let before = await session.snapshot()
    var wanted = Self.configuration(of: [1, 0])
    for index in 0..<2 { wanted.inputs[index].frameRate = Rational(15, 1) }
    // Both cameras restart; the first streams, and the second fails after that.
    bench.provider.failStarts(CaptureError(.bandwidthExceeded, "The bus is full."), of: "fake-1")
    bench.provider.started.close()
    let commit = Task { [wanted] in try await session.configure(wanted, etag: "", validateOnly: false) }
    let restarted = try await bench.provider.sources.wait(count: 3)[2]
    #expect(restarted.deviceID == "fake-0" && restarted.send() != nil)
    bench.provider.started.open()
    #expect(await reason { _ = try await commit.value } == .bandwidthExceeded)
    #expect(both.frames.count == 0)
    #expect(both.plans.all.allSatisfy { $0.layers.map(\.input) == ["cam-0", "cam-1"] })
    #expect(both.closings.count == 0 && both.sources.all.last?.isLive == true)
    #expect(await session.snapshot().resolved == before.resolved)
    try camera(0, in: bench).send()
    #expect(both.frames.all.map(\.configRevision) == [before.revision], "the former camera streams again")
  }

  /// A composition gets the frames of a camera that a commit restarts when the commit takes over, also when no other
  /// camera could fail.
  @Test("L1: a restarted camera feeds the composition under the new revision") func aRestartedCamera() async throws {
    let bench = Self.bench()
    let session = try await running(bench)
    let both = try composition(in: bench)
    var wanted = Self.configuration()
    wanted.inputs[0].frameRate = Rational(15, 1)
    bench.provider.started.close()
    let commit = Task { [wanted] in try await session.configure(wanted, etag: "", validateOnly: false) }
    let restarted = try await bench.provider.sources.wait(count: 3)[2]
    restarted.send()
    #expect(both.frames.count == 0)
    bench.provider.started.open()
    let revision = try await commit.value.snapshot.revision
    restarted.send()
    #expect(both.frames.all.map(\.configRevision) == [revision])
  }

  /// A commit without the composition ends it.
  @Test("L1: a composition may be removed") func aCompositionMayBeRemoved() async throws {
    let bench = Self.bench()
    let session = try await running(bench)
    let both = try composition(in: bench)
    var wanted = Self.configuration()
    wanted.inputs.removeLast()
    wanted.connections = [.init(input: "cam-0", output: "data")]
    _ = try await session.configure(wanted, etag: "", validateOnly: false)
    #expect(both.closings.count == 1 && both.sources.all.last?.isLive == false)
    #expect(await states(session) == ["cam-0 running", "cam-1 stopped"])
    try camera(0, in: bench).send()
    #expect(both.frames.count == 0)
  }
}
