import CaptureCore
import CaptureTestKit
import Testing

@testable import CaptureSessions

/// Tests that one call creates, configures and starts a session, while other calls wait for this session.
@Suite(.timeLimit(.minutes(1))) struct SessionCreationTests {
  private let bench = Bench()

  /// Creates the session `s` in one call, with or without a configuration and a start.
  private func create(_ configuration: SessionConfiguration?, starting: Bool) async throws -> SessionSnapshot {
    try await bench.sessions.create(
      id: "s", idleTimeout: 0, configuration: configuration, startRequestedAt: starting ? 1 : nil)
  }

  /// The session `s`, which is being created, and a call that waits for the end of the creation.
  private func awaitedCreation() async throws -> (session: CaptureSession, waiting: Task<Void, any Error>) {
    let session = try await bench.sessions.create(id: "s", idleTimeout: 0, isBeingCreated: true)
    let waiting = Task { try await session.awaitCreation() }
    while await !session.lifetime.isAwaited { await Task.yield() }
    return (session, waiting)
  }

  /// A registry without sessions, and a call that waits for the session `s` there, by the clock.
  private func awaitedSession() async throws -> (
    bench: Bench, clock: ManualClock, expected: Task<CaptureSession, any Error>
  ) {
    let clock = ManualClock()
    let bench = Bench(clock: clock)
    let expected = Task { try await bench.sessions.expectedSession("s") }
    try await clock.sleeps.wait(count: 1)
    return (bench, clock, expected)
  }

  /// One call creates, configures and starts a session, which then runs at its first revision.
  @Test func oneCallLeadsToARunningSession() async throws {
    let snapshot = try await create(Bench.configuration(), starting: true)
    #expect(snapshot.status.state == .running)
    #expect(snapshot.revision == 1)
    let session = try await bench.sessions.session("s")
    // The creation is over, so this call returns at once.
    try await session.awaitCreation()
  }

  /// A session that is created without a configuration is stopped, and a call that waits for its creation returns at
  /// once.
  @Test func aSessionWithoutAConfigurationIsReadyAtOnce() async throws {
    #expect(try await create(nil, starting: false).status.state == .stopped)
    try await bench.sessions.session("s").awaitCreation()
  }

  /// When the configuration or the start fails, the session is deleted again, its device is free, and the same id can
  /// be used for another try.
  @Test func aFailedCreationLeavesNoSession() async throws {
    let unknown = Bench.configuration { $0.inputs[0].deviceID = "nothing" }
    await #expect(throws: ConfigurationError.self) { try await create(unknown, starting: false) }
    await #expect(throws: CaptureError.self) { try await create(nil, starting: true) }
    await #expect(throws: CaptureError.self) { try await bench.sessions.session("s") }
    #expect(bench.devices.holder(of: Bench.configuration().inputs[0].deviceID) == nil)
    #expect(try await create(Bench.configuration(), starting: true).status.state == .running)
  }

  /// A call that waits for a creation gets `sessionNotFound` when the creation fails and the session is deleted.
  @Test func aFailedCreationEndsTheCallsThatWaitForIt() async throws {
    let (session, waiting) = try await awaitedCreation()
    try await bench.sessions.delete(session, etag: "")
    await session.endCreation()
    let error = await #expect(throws: CaptureError.self) { try await waiting.value }
    #expect(error?.reason == .sessionNotFound)
  }

  /// A call that waits for a creation goes on when the session has its configuration.
  @Test func callsThatWaitForACreationContinueWhenItIsConfigured() async throws {
    let (session, waiting) = try await awaitedCreation()
    await session.endCreation()
    try await waiting.value
    #expect(await !session.lifetime.isAwaited)
  }

  /// A client may ask for frames at the same time as it creates the session. The stream then waits for the session to
  /// appear.
  @Test func aStreamMayComeBeforeItsSession() async throws {
    let (bench, _, expected) = try await awaitedSession()
    let created = try await bench.sessions.create(
      id: "s", idleTimeout: 0, configuration: Bench.configuration(), startRequestedAt: 1)
    #expect(try await expected.value.id == created.id)
    #expect(await bench.sessions.arrivals.isEmpty)
  }

  /// A stream that waits for a session gets `sessionNotFound` when the session does not appear within the registry's
  /// patience.
  @Test func aSessionThatNeverComesIsNotFound() async throws {
    let (bench, clock, expected) = try await awaitedSession()
    clock.advance(by: SessionRegistry.patience)
    let error = await #expect(throws: CaptureError.self) { try await expected.value }
    #expect(error?.reason == .sessionNotFound)
    #expect(await bench.sessions.arrivals.isEmpty)
  }

  /// A stream that waits for a session gets `shuttingDown` when the daemon ends.
  @Test func aShutdownEndsTheCallsThatWaitForASession() async throws {
    let (bench, _, expected) = try await awaitedSession()
    await bench.sessions.shutDown(CaptureError(.shuttingDown, "over"))
    let error = await #expect(throws: CaptureError.self) { try await expected.value }
    #expect(error?.reason == .shuttingDown)
  }

  /// Creating a session with an id that exists is refused with `sessionExists`, and the existing session goes on.
  @Test func aTakenIDIsRefusedAndTheSessionGoesOn() async throws {
    _ = try await create(Bench.configuration(), starting: true)
    let error = await #expect(throws: CaptureError.self) { try await create(Bench.configuration(), starting: true) }
    #expect(error?.reason == .sessionExists)
    #expect(try await bench.sessions.session("s").snapshot().status.state == .running)
  }
}
