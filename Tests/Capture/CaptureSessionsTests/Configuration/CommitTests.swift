import CaptureCore
import CaptureTestKit
import Logging
import Synchronization
import SystemClocks
import Testing

@testable import CaptureSessions

/// What a commit leaves behind when it works, and when it does not.
@Suite(.timeLimit(.minutes(1))) struct CommitTests {
  private static let slower = Bench.configuration { $0.inputs[0].frameRate = Rational(15, 1) }
  private static let swapped = Bench.configuration { $0.inputs[0].deviceID = "fake-1" }
  private static let busFull = CaptureError(.bandwidthExceeded, "The bus is full.")

  @Test("A9: the device restarts for a rate, not for a name") func theDeviceRestartsForARateNotForAName() async throws {
    let bench = Bench()
    let (session, source) = try await bench.running()
    let renamed = Bench.configuration { $0.inputs[0].id = "front" }
    #expect(try await !session.configure(renamed, etag: "", validateOnly: false).reconfigured)
    #expect(source.isLive)
    source.send()
    #expect(bench.output("preview")?.frames.all.last?.input == "front")
    #expect(try await session.configure(Self.slower, etag: "", validateOnly: false).reconfigured)
    #expect(!source.isLive)
  }

  @Test("A9: a larger ring gets more memory") func aLargerRingGetsMoreMemory() async throws {
    let size = Size(width: 3840, height: 2160)
    let camera = Device.fake(formats: [.fake(.nv12, size)])
    let bench = Bench(devices: [camera])
    let (session, source) = try await bench.running {
      $0.preset = .photo
      $0.photo = nil
    }
    let before = source.pool.budget
    let both = Bench.configuration { $0.preset = .photo }
    _ = try await session.configure(both, etag: "", validateOnly: false)
    let plan = RingPlan(window: await session.snapshot().resolved.zeroShutterLagWindow, format: source.format)
    #expect(plan.ringBytes > before, "the ring alone would take all there was")
    #expect(source.pool.budget == plan.poolBudget)
    _ = try await session.configure(
      Bench.configuration {
        $0.preset = .photo
        $0.photo = nil
      }, etag: "", validateOnly: false)
    #expect(source.pool.budget == before)
  }

  @Test("A9: when neither camera starts, the former configuration waits for its camera")
  func whenNeitherStartsTheFormerConfigurationWaits() async throws {
    let clock = ManualClock()
    let bench = Bench(devices: [.fake(), .fake(id: "fake-1")], clock: clock)
    let (session, _) = try await bench.running()
    let before = await session.snapshot()
    let taken = CaptureError(.deviceInUse, "Taken meanwhile.")
    bench.provider.failStarts(taken)
    #expect(
      await reason { _ = try await session.configure(Self.swapped, etag: "", validateOnly: false) } == .deviceInUse)
    let after = await session.snapshot()
    #expect(after.status == SessionStatus(.interrupted, interruption: .deviceInUse))
    #expect((after.etag, after.configuration) == (before.etag, before.configuration))
    #expect(bench.devices.holders == ["fake-0": "s"])
    #expect(bench.output("preview")?.closings.count == 0, "readers keep their streams")

    bench.provider.failStarts(nil)
    while clock.sleeping == 0 { await Task.yield() }
    clock.advance(by: .seconds(1))
    _ = try await event(of: session, after: after.eventID) { if case .interruptionEnded = $0 { true } else { false } }
    let source = try #require(bench.provider.sources.all.last)
    #expect(source.deviceID == "fake-0")
    source.send()
    #expect(bench.output("preview")?.frames.all.last?.configRevision == before.revision)
  }

  @Test("A9: when neither camera works, the former configuration can be started again")
  func whenNeitherWorksTheFormerConfigurationCanBeStartedAgain() async throws {
    let bench = Bench(devices: [.fake(), .fake(id: "fake-1")])
    let (session, _) = try await bench.running()
    let before = await session.snapshot()
    bench.provider.failStarts(Self.busFull)
    #expect(
      await reason { _ = try await session.configure(Self.swapped, etag: "", validateOnly: false) }
        == .bandwidthExceeded)
    let after = await session.snapshot()
    #expect(after.status.state == .stopped)
    #expect((after.etag, after.configuration, after.resolved) == (before.etag, before.configuration, before.resolved))
    #expect(bench.devices.holders.isEmpty)
    _ = try await event(of: session, after: before.eventID) { $0 == .runtimeError(Self.busFull) }
    bench.provider.failStarts(nil)
    #expect(try await session.start(requestedAt: 0).status.state == .running)
    #expect(bench.provider.sources.all.last?.deviceID == "fake-0")
  }

  @Test("A9: an output that cannot be prepared refuses the commit") func anUnpreparedOutputRefuses() async throws {
    let bench = Bench()
    let (session, source) = try await bench.running { $0.photo = nil }
    let before = await session.snapshot()
    let broken = CaptureError(.processingFailed, "No encoder.")
    bench.onMake { $0.failPreparation(broken) }
    let both = Bench.configuration { $0.photo = .init(deferredStart: false) }
    #expect(
      await reason { _ = try await session.configure(both, etag: "", validateOnly: false) } == .processingFailed)
    #expect(await session.snapshot() == before)
    #expect(source.isLive)
    #expect(bench.output("photo")?.closings.count == 1)
    #expect(bench.output("preview")?.closings.count == 0)
    #expect(await session.launchTimeline().outputs.keys.sorted() == ["preview"])
    source.send()
    #expect(bench.output("preview")?.frames.all.last?.configRevision == before.revision)
    #expect(bench.output("photo")?.frames.count == 0)
  }

  @Test("A5: a camera that another session runs cannot be swapped in") func aClaimedCameraCannotBeSwappedIn()
    async throws
  {
    let bench = Bench(devices: [.fake(), .fake(id: "fake-1")])
    let (session, source) = try await bench.running()
    let other = try await bench.sessions.create(id: "other", idleTimeout: 0)
    _ = try await other.configure(Self.swapped, etag: "", validateOnly: false)
    _ = try await other.start(requestedAt: 0)
    let before = await session.snapshot()
    #expect(
      await reason { _ = try await session.configure(Self.swapped, etag: "", validateOnly: false) } == .deviceInUse)
    #expect(await session.snapshot() == before)
    #expect(source.isLive, "not even its stream was touched")
    #expect(bench.devices.holders == ["fake-0": "s", "fake-1": "other"])
  }

  @Test("A9: the present configuration is no change while its camera is away")
  func theSameConfigurationWithoutItsCamera()
    async throws
  {
    let bench = Bench()
    let (session, _) = try await bench.running()
    bench.provider.disconnect("fake-0")
    await session.port.drain()
    let before = await session.snapshot()
    #expect(before.status.state == .interrupted)
    _ = try await session.configure(Bench.configuration(), etag: before.etag, validateOnly: false)
    #expect(try await session.configure(Bench.configuration(), etag: "", validateOnly: true).issues.isEmpty)
    #expect(await session.snapshot() == before)
  }

  @Test func aCommitWaitsForTheDeferredStartOfTheFormerOne() async throws {
    let bench = Bench()
    let (session, _) = try await bench.running { $0.automaticallyRunsDeferredStart = false }
    let photo = try #require(bench.output("photo"))
    photo.preparation.close()
    try await session.runDeferredStart()
    _ = try await photo.preparation.arrivals.wait(count: 1)
    let before = await session.snapshot()
    let next = Bench.configuration {
      $0.automaticallyRunsDeferredStart = false
      $0.additionalPreviews = [.init(id: "wall")]
    }
    let commit = Task { try await session.configure(next, etag: "", validateOnly: false) }
    while bench.made.count < 3 { await Task.yield() }
    #expect(await session.snapshot().revision == before.revision)
    photo.preparation.open()
    _ = try await commit.value
    try await session.runDeferredStart()
    await session.deferredStartEnded()
    let told = try await events(of: session, after: before.eventID)
    #expect(told.compactMap(\.deferredStep) == ["did", "commit", "will", "did"])
  }

  @Test("A11: who hears that it stopped finds the camera free") func whoHearsThatItStoppedFindsTheCameraFree()
    async throws
  {
    let bench = Bench()
    let holders = Recorder<[String: String]>()
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let sessions = SessionRegistry(devices: bench.devices, logger: logger) { [devices = bench.devices] output, _ in
      StopWitness(id: output.id) { holders.append(devices.holders) }
    }
    let session = try await sessions.create(id: "s", idleTimeout: 0)
    _ = try await session.configure(Bench.configuration { $0.photo = nil }, etag: "", validateOnly: false)
    _ = try await session.start(requestedAt: 0)
    _ = try await session.stop(etag: "")
    #expect(holders.all == [[:]])
  }

  @Test("A11: a failed device is closed before the session is stopped") func aFailedDeviceIsClosedFirst() async throws {
    let bench = Bench()
    let (session, source) = try await bench.running()
    source.stopping.close()
    source.lose(CaptureError(.deviceFailed, "broken"))
    _ = try await source.stopping.arrivals.wait(count: 1)
    #expect(await session.snapshot().status.state == .stopping)
    #expect(bench.devices.holders == ["fake-0": "s"])
    source.stopping.open()
    _ = try await event(of: session) { $0 == .stateChanged(SessionStatus(.stopped)) }
    #expect(bench.devices.holders.isEmpty)
  }

  @Test("A11: calls of several clients are served in turn") func callsOfSeveralClientsAreServedInTurn() async throws {
    let bench = Bench()
    let (session, _) = try await bench.running()
    bench.provider.starting.close()
    let arrivals = bench.provider.starting.arrivals.count
    let commit = Task { try await session.configure(Self.slower, etag: "", validateOnly: false) }
    _ = try await bench.provider.starting.arrivals.wait(count: arrivals + 1)
    let stop = Task { try await session.stop(etag: "") }
    let deletion = Task { try await bench.sessions.delete("s", etag: "") }
    commit.cancel()
    stop.cancel()
    #expect(await session.snapshot().status.state == .running, "the commit is not done")
    bench.provider.starting.open()
    _ = await (commit.result, stop.result)
    try await deletion.value
    #expect(bench.provider.sources.all.allSatisfy { !$0.isLive })
    #expect(bench.devices.holders.isEmpty)
    #expect(bench.made.all.allSatisfy { $0.closings.count == 1 })
  }

  @Test("A1: a slow start is no idleness") func aSlowStartIsNoIdleness() async throws {
    let bench = Bench()
    let session = try await bench.sessions.create(id: "s", idleTimeout: 0)
    _ = try await session.configure(Bench.configuration(), etag: "", validateOnly: false)
    bench.provider.starting.close()
    let start = Task { try await session.start(requestedAt: 0) }
    _ = try await bench.provider.starting.arrivals.wait(count: 1)
    #expect(session.idle.remaining(of: 1, now: .distantFuture) == 1)
    bench.provider.starting.open()
    _ = try await start.value
    #expect(session.idle.remaining(of: 1, now: .distantFuture) == 0)
  }
}

extension SessionEvent {
  fileprivate var deferredStep: String? {
    switch self {
    case .willRunDeferredStart: "will"
    case .didRunDeferredStart: "did"
    case .configurationCommitted: "commit"
    default: nil
    }
  }
}

/// Looks around the moment it hears that the session is stopped.
private final class StopWitness: CaptureOutput {
  let id: String
  private let look: @Sendable () -> Void
  private let status = Mutex(SessionStatus(.stopped))

  init(id: String, look: @escaping @Sendable () -> Void) {
    self.id = id
    self.look = look
  }

  func prepare() async throws(CaptureError) {}
  func receive(_ frame: CapturedFrame) {}
  func update(_ conditions: OutputConditions) {
    let hasStopped = status.withLock { status in
      defer { status = conditions.status }
      return status.state != .stopped && conditions.status.state == .stopped
    }
    if hasStopped { look() }
  }
  func close(_ error: CaptureError) {}
}
