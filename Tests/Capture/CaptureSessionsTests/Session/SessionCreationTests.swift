import CaptureCore
import CaptureTestKit
import Testing

@testable import CaptureSessions

@Suite(.timeLimit(.minutes(1))) struct SessionCreationTests {
  private let bench = Bench()

  private func create(_ configuration: SessionConfiguration?, starting: Bool) async throws -> SessionSnapshot {
    try await bench.sessions.create(
      id: "s", idleTimeout: 0, configuration: configuration, startRequestedAt: starting ? 1 : nil)
  }

  @Test func oneCallLeadsToARunningSession() async throws {
    let snapshot = try await create(Bench.configuration(), starting: true)
    #expect(snapshot.status.state == .running)
    #expect(snapshot.revision == 1)
    let session = try await bench.sessions.session("s")
    // Nothing is left to wait for.
    try await session.awaitCreation()
  }

  @Test func withoutAConfigurationNobodyWaits() async throws {
    #expect(try await create(nil, starting: false).status.state == .stopped)
    try await bench.sessions.session("s").awaitCreation()
  }

  @Test func whatFailsLeavesNothing() async throws {
    let unknown = Bench.configuration { $0.inputs[0].deviceID = "nothing" }
    await #expect(throws: ConfigurationError.self) { try await create(unknown, starting: false) }
    await #expect(throws: CaptureError.self) { try await create(nil, starting: true) }
    await #expect(throws: CaptureError.self) { try await bench.sessions.session("s") }
    #expect(bench.devices.holder(of: Bench.configuration().inputs[0].deviceID) == nil)
    #expect(try await create(Bench.configuration(), starting: true).status.state == .running)
  }

  @Test func whoWaitsForACreationThatFailsHearsOfIt() async throws {
    let session = try await bench.sessions.create(id: "s", idleTimeout: 0, isBeingCreated: true)
    let waiting = Task { () -> CaptureError.Reason? in
      do throws(CaptureError) { try await session.awaitCreation() } catch { return error.reason }
      return nil
    }
    while await session.lifetime.waiters.isEmpty { await Task.yield() }
    try await bench.sessions.delete(session, etag: "")
    await session.endCreation()
    #expect(await waiting.value == .sessionNotFound)
  }

  @Test func whoWaitsForACreationGoesOnWhenItIsConfigured() async throws {
    let session = try await bench.sessions.create(id: "s", idleTimeout: 0, isBeingCreated: true)
    let waiting = Task { try await session.awaitCreation() }
    while await session.lifetime.waiters.isEmpty { await Task.yield() }
    await session.endCreation()
    try await waiting.value
    #expect(await session.lifetime.waiters.isEmpty)
  }

  @Test func aStreamMayComeBeforeItsSession() async throws {
    let clock = ManualClock()
    let bench = Bench(clock: clock)
    let expected = Task { try await bench.sessions.expectedSession("s") }
    try await clock.sleeps.wait(count: 1)
    let created = try await bench.sessions.create(
      id: "s", idleTimeout: 0, configuration: Bench.configuration(), startRequestedAt: 1)
    #expect(try await expected.value.id == created.id)
    #expect(await bench.sessions.arrivals.isEmpty)
  }

  @Test func aSessionThatNeverComesIsNotFound() async throws {
    let clock = ManualClock()
    let bench = Bench(clock: clock)
    let expected = Task { try await bench.sessions.expectedSession("s") }
    try await clock.sleeps.wait(count: 1)
    clock.advance(by: SessionRegistry.patience)
    let error = await #expect(throws: CaptureError.self) { try await expected.value }
    #expect(error?.reason == .sessionNotFound)
    #expect(await bench.sessions.arrivals.isEmpty)
  }

  @Test func whoWaitsHearsOfTheEnd() async throws {
    let clock = ManualClock()
    let bench = Bench(clock: clock)
    let expected = Task { try await bench.sessions.expectedSession("s") }
    try await clock.sleeps.wait(count: 1)
    await bench.sessions.shutDown(CaptureError(.shuttingDown, "over"))
    let error = await #expect(throws: CaptureError.self) { try await expected.value }
    #expect(error?.reason == .shuttingDown)
  }

  @Test func aTakenIDIsTheOthers() async throws {
    _ = try await create(Bench.configuration(), starting: true)
    let error = await #expect(throws: CaptureError.self) { try await create(Bench.configuration(), starting: true) }
    #expect(error?.reason == .sessionExists)
    #expect(try await bench.sessions.session("s").snapshot().status.state == .running)
  }
}
