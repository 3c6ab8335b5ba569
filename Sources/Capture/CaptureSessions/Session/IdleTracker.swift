internal import CaptureCore
internal import Locking
internal import SystemClocks

/// Tracks how long a session has not been used. Thread-safe.
public final class IdleTracker: Sendable {
  private struct State {
    var attached = 0
    var lastUse: MonotonicInstant
  }
  private let state: Locked<State>

  init(now: MonotonicInstant = .now()) { state = Locked(State(lastUse: now)) }

  /// Notes that a call named the session.
  func touch(now: MonotonicInstant = .now()) { state.withLock { $0.lastUse = now } }

  /// Runs `body`, which serves a stream to a client. The session counts as used until `body` ends.
  public func whileAttached<R>(_ body: () async throws -> R) async rethrows -> R {
    attach()
    defer { detach() }
    return try await body()
  }

  /// Counts one more user of the session, until ``detach(now:)``.
  func attach() { state.withLock { $0.attached += 1 } }

  /// Counts one user less.
  func detach(now: MonotonicInstant = .now()) {
    state.withLock {
      $0.attached -= 1
      $0.lastUse = now
    }
  }

  /// Returns the nanoseconds until the session has been idle for `timeout`; 0 when it has been idle that long, and
  /// `timeout` while it is in use.
  func remaining(of timeout: UInt64, now: MonotonicInstant = .now()) -> UInt64 {
    state.withLock { state in
      guard state.attached == 0 else { return timeout }
      let idle = now.nanoseconds(since: state.lastUse)
      return timeout - min(timeout, idle)
    }
  }
}
