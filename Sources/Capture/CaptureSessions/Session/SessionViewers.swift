internal import Synchronization
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
  private let state = Mutex(State())

  init(idleTimeout: Duration?, clock: any Clock<Duration>, calls: Calls) {
    self.idleTimeout = idleTimeout
    self.clock = clock
    self.calls = calls
  }

  deinit { state.withLock { $0.timer?.cancel() } }

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
    guard let idleTimeout else { return }
    // The actions are carried out under the lock, so that a timer of an earlier event cannot replace a later one. Each
    // of them only creates or cancels a task.
    state.withLock { state in
      for action in state.start.handle(event) {
        switch action {
        case .start(let instant): Task { [calls] in await calls.start(instant) }
        case .wait(let wait):
          state.timer?.cancel()
          state.timer = Task { [calls, clock] in
            guard (try? await clock.sleep(for: idleTimeout)) != nil else { return }
            await calls.stop(wait)
          }
        case .endWait:
          state.timer?.cancel()
          state.timer = nil
        }
      }
    }
  }
}
