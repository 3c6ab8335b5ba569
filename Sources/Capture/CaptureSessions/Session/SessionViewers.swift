internal import Locking
internal import SystemClocks

/// The viewers of a session: those to whom it serves frames, and those for whom it takes a photo. Starts a session on
/// demand with its first viewer, and stops it some time after its last viewer has left. Does nothing for other
/// sessions. Thread-safe.
final class SessionViewers: Sendable {
  /// The calls of the session that carry out what ``OnDemandStart`` decides.
  struct Calls: Sendable {
    let start: @Sendable (_ requestedAt: MonotonicInstant) async -> Void
    let stop: @Sendable (_ wait: OnDemandStart.Wait) async -> Void
  }

  private struct State {
    var start = OnDemandStart()
    var timer: Task<Void, Never>?
  }

  /// How long after its last viewer has left the session stops; nil for a session that does not start on demand.
  let idleTimeout: Duration?
  private let clock: any Clock<Duration>
  private let calls: Calls
  private let state = Locked(State())

  init(idleTimeout: Duration?, clock: any Clock<Duration>, calls: Calls) {
    self.idleTimeout = idleTimeout
    self.clock = clock
    self.calls = calls
  }

  deinit { state.withLock(\.timer)?.cancel() }

  /// Whether the session may start for those who watch it.
  var mayStart: Bool { state.withLock { $0.start.mayStart } }

  func isDue(_ wait: OnDemandStart.Wait) -> Bool { state.withLock { $0.start.isDue(wait) } }

  /// Runs `body`, which serves a viewer.
  ///
  /// - Parameter arrival: when the viewer came.
  func whileAttached<R>(since arrival: MonotonicInstant, _ body: () async throws -> R) async rethrows -> R {
    handle(.viewerCame(at: arrival))
    defer { handle(.viewerLeft) }
    return try await body()
  }

  /// Counts a capture that began for a viewer as one more viewer, until ``noteEndOfCapture()``.
  func noteCapture() { handle(.captureBegan) }

  func noteEndOfCapture() { handle(.viewerLeft) }

  /// Notes that the session starts.
  func noteStart() { handle(.started) }

  /// Notes that a client stops the session.
  func noteStop() { handle(.stopped) }

  /// Notes that the session has another configuration.
  func noteCommit() { handle(.committed(at: .now())) }

  private func handle(_ event: OnDemandStart.Event) {
    guard idleTimeout != nil else { return }
    for action in state.withLock({ $0.start.handle(event) }) {
      switch action {
      case .start(let instant): Task { [calls] in await calls.start(instant) }
      case .wait(let wait): begin(wait)
      case .endWait: endOutdatedTimer()
      }
    }
  }

  /// Starts the timer of a wait in place of an earlier one. Another thread may have begun a later wait or ended this
  /// one meanwhile, which then counts.
  private func begin(_ wait: OnDemandStart.Wait) {
    guard let idleTimeout else { return }
    let timer = Task { [calls, clock] in
      guard (try? await clock.sleep(for: idleTimeout)) != nil else { return }
      await calls.stop(wait)
    }
    let outdated = state.withLock { state in
      guard state.start.isDue(wait) else { return Optional(timer) }
      defer { state.timer = timer }
      return state.timer
    }
    outdated?.cancel()
  }

  private func endOutdatedTimer() {
    let outdated: Task<Void, Never>? = state.withLock { state in
      guard !state.start.isWaiting else { return nil }
      defer { state.timer = nil }
      return state.timer
    }
    outdated?.cancel()
  }
}
