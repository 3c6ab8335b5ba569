import CaptureCore
import CaptureTestKit
import Logging
import Synchronization
import SystemClocks
import Testing

@testable import CaptureSessions

/// Tests that a commit takes over the whole configuration when it succeeds, and leaves the session as it was when it
/// fails.
@Suite(.timeLimit(.minutes(1))) struct CommitTests {
  private static let slower = Bench.configuration { $0.inputs[0].frameRate = Rational(15, 1) }
  private static let swapped = Bench.configuration { $0.inputs[0].deviceID = "fake-1" }
  private static let busFull = CaptureError(.bandwidthExceeded, "The bus is full.")

  /// A commit that renames the input goes on with the same stream, whose frames have the new name from then on. A
  /// commit with another rate restarts the device.
  @Test("A9: the device restarts for another rate and not for another name of its input")
  func theDeviceRestartsForARateNotForAName() async throws {
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

  /// A commit that adds a photo output gives the running stream's pool the memory of the ring, and a commit that
  /// removes the output takes this memory back.
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
    #expect(plan.ringBytes > before, "the ring alone needs more than the former budget")
    #expect(source.pool.budget == plan.poolBudget)
    _ = try await session.configure(
      Bench.configuration {
        $0.preset = .photo
        $0.photo = nil
      }, etag: "", validateOnly: false)
    #expect(source.pool.budget == before)
  }

  /// A commit swaps cameras, the new camera does not start, and the former one is in use meanwhile. The session then
  /// has its former configuration and is interrupted, and resumes by itself when the former camera starts.
  @Test("A9: when neither the new nor the former camera starts, the session waits for the former one")
  func aFailedSwapWaitsForAFormerCameraThatIsInUse() async throws {
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

  /// When the former camera fails with an error that waiting does not heal, the session stops with its former
  /// configuration, reports the error, holds no camera, and can be started again.
  @Test("A9: when neither the new nor the former camera works, the session stops with its former configuration")
  func aFailedSwapStopsASessionWhoseFormerCameraFails() async throws {
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
    _ = try await event(of: session, after: before.eventID) { $0 == .runtimeError(Self.busFull, input: "camera") }
    bench.provider.failStarts(nil)
    #expect(try await session.start(requestedAt: 0).status.state == .running)
    #expect(bench.provider.sources.all.last?.deviceID == "fake-0")
  }

  /// When an added output cannot be prepared, the commit is refused: the added output is closed, and the others go on
  /// as before the commit.
  @Test("A9: an output that cannot be prepared refuses the commit") func anOutputThatFailsToPrepareRefusesTheCommit()
    async throws
  {
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

  /// A commit that asks for a camera of another running session is refused with `deviceInUse`, and the session's stream
  /// is not touched.
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
    #expect(source.isLive, "the running stream was not stopped")
    #expect(bench.devices.holders == ["fake-0": "s", "fake-1": "other"])
  }

  /// A client that commits the present configuration again, or validates it, gets no error about the absent camera, and
  /// the session stays as it is.
  @Test("A9: committing the present configuration changes nothing while its camera is absent")
  func theSameConfigurationChangesNothingWhileItsCameraIsAbsent() async throws {
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

  /// A commit that comes during a deferred start takes over only when the deferred start has ended, so that the events
  /// of the two do not mix.
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

  /// A client that sees the status "stopped" may start another session on the same camera at once, so the camera is
  /// released before the outputs learn of the stop.
  @Test("A11: the camera is free when an output learns that the session stopped")
  func theCameraIsFreeWhenOutputsLearnOfTheStop() async throws {
    let bench = Bench()
    let holders = Recorder<[String: String]>()
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let sessions = SessionRegistry(devices: bench.devices, logger: logger, makeComposition: FakeComposition.make) {
      [devices = bench.devices] output, _ in
      StopWitness(id: output.id) { holders.append(devices.holders) }
    }
    let session = try await sessions.create(id: "s", idleTimeout: 0)
    _ = try await session.configure(Bench.configuration { $0.photo = nil }, etag: "", validateOnly: false)
    _ = try await session.start(requestedAt: 0)
    _ = try await session.stop(etag: "")
    #expect(holders.all == [[:]])
  }

  /// After the device failed, the session is "stopping" and holds the camera until the device is closed; only then the
  /// session is "stopped".
  @Test("A11: a failed device is closed before the session is stopped")
  func aFailedDeviceIsClosedBeforeTheSessionStops() async throws {
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

  /// A commit, a stop and a deletion that come at the same time are carried out one after the other, even when their
  /// callers have gone. In the end no camera is open and each output is closed once.
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
    #expect(await session.snapshot().status.state == .running, "the commit is still under way")
    bench.provider.starting.open()
    _ = await (commit.result, stop.result)
    try await deletion.value
    #expect(bench.provider.sources.all.allSatisfy { !$0.isLive })
    #expect(bench.devices.holders.isEmpty)
    #expect(bench.made.all.allSatisfy { $0.closings.count == 1 })
  }

  /// The idle timeout does not run during a start, so that a camera that starts slowly does not cost the session its
  /// life.
  @Test("A1: a session is not idle while it starts") func aSessionThatStartsIsNotIdle() async throws {
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
  /// A short name of an event of deferred start or of a commit; nil for other events.
  fileprivate var deferredStep: String? {
    switch self {
    case .willRunDeferredStart: "will"
    case .didRunDeferredStart: "did"
    case .configurationCommitted: "commit"
    default: nil
    }
  }
}

/// An output that calls a function at the moment when it learns that the session stopped.
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
