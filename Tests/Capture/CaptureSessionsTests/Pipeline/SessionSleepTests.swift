import CaptureCore
import CaptureTestKit
import Testing

@testable import CaptureSessions

/// Tests what a session does when the machine sleeps. Watchers must be told, and the camera must run again without a
/// call of a client.
@Suite(.timeLimit(.minutes(1))) struct SessionSleepTests {
  private let clock = ManualClock()
  private static let asleep = SessionStatus(.interrupted, interruption: .systemSuspend)

  /// Where the machine sleeps without telling the daemon, the stream notices the sleep afterwards. The interruption
  /// tells how long the machine slept, and a new stream begins at once.
  @Test("A12: a camera whose stream noticed a sleep of the machine is restarted at once")
  func aStreamThatNoticedASleepIsRestartedAtOnce() async throws {
    let bench = Bench(clock: clock)
    let (session, source) = try await bench.running()
    source.send()
    source.lose(.slept(7_000_000_000, device: "fake-0"))
    let interrupted = try await event(of: session) {
      if case .wasInterrupted(.systemSuspend, let error, _) = $0 {
        error.metadata["suspended_seconds"] == "7.0"
      } else {
        false
      }
    }
    let ended = try await event(of: session, after: interrupted.id) {
      if case .interruptionEnded(let stream, _) = $0 { stream > source.streamID } else { false }
    }
    _ = try await event(of: session, after: ended.id) { $0 == .stateChanged(SessionStatus(.running)) }
    #expect(bench.provider.sources.count == 2)
  }

  /// When the machine is about to sleep, every camera is closed before the call returns, and sessions are interrupted.
  /// A session that is started meanwhile waits as well. After the sleep, all of them run.
  @Test("A12: every camera is closed before a sleep and started by itself afterwards")
  func sessionsRestWhileTheMachineSleeps() async throws {
    let bench = Bench(devices: [.fake(), .fake(id: "fake-1")], clock: clock)
    let (session, source) = try await bench.running()
    await bench.sessions.setSystemAsleep(true)
    #expect(!source.isLive, "the camera is closed when the call returns")
    #expect(await session.snapshot().status == Self.asleep)
    #expect(bench.output("preview")?.statuses.all.last == Self.asleep)

    // A session that is started during the sleep waits for its end too.
    let late = try await bench.sessions.create(id: "late", idleTimeout: 0)
    let other = Bench.configuration { $0.inputs[0].deviceID = "fake-1" }
    _ = try await late.configure(other, etag: "", validateOnly: false)
    #expect(await reason { _ = try await late.start(requestedAt: 0) } == .systemSuspend)
    #expect(bench.provider.sources.count == 1)

    await bench.sessions.setSystemAsleep(false)
    #expect(await session.snapshot().status == SessionStatus(.running))
    #expect(await late.snapshot().status == SessionStatus(.running))
    #expect(bench.provider.sources.count == 3)
  }

  /// When shutdown pressure begins during a sleep, the interruption is by pressure after the machine woke, and ends
  /// with the pressure.
  @Test("A12: a session stays interrupted when the machine wakes under shutdown pressure")
  func shutdownPressureContinuesTheRestAfterASleep() async throws {
    let bench = Bench(clock: clock)
    let (session, _) = try await bench.running()
    await bench.sessions.setSystemAsleep(true)
    await bench.sessions.setPressure(PressureDemands(machine: .fake(.shutdown)))
    await bench.sessions.setSystemAsleep(false)
    #expect(await session.snapshot().status == SessionStatus(.interrupted, interruption: .systemPressure))
    await bench.sessions.setPressure(PressureDemands(machine: .fake(.nominal)))
    _ = try await event(of: session) { if case .interruptionEnded = $0 { true } else { false } }
  }
}
