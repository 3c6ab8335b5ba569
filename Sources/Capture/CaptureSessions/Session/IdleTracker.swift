internal import CaptureCore
internal import Synchronization

/// Knows since when nobody has used a session. Thread-safe.
public final class IdleTracker: Sendable {
  private struct State {
    var attached = 0
    var lastUse: UInt64
  }
  private let state: Mutex<State>

  init(now: UInt64 = SystemClock.monotonicNanoseconds()) { state = Mutex(State(lastUse: now)) }

  /// A call named the session.
  func touch(now: UInt64 = SystemClock.monotonicNanoseconds()) { state.withLock { $0.lastUse = now } }

  /// Runs `body`, a stream on the session, during which the session is in use.
  public func whileAttached<R>(_ body: () async throws -> R) async rethrows -> R {
    attach()
    defer { detach() }
    return try await body()
  }

  /// Somebody uses the session from now on.
  func attach() { state.withLock { $0.attached += 1 } }

  /// One who was attached left.
  func detach(now: UInt64 = SystemClock.monotonicNanoseconds()) {
    state.withLock {
      $0.attached -= 1
      $0.lastUse = now
    }
  }

  /// Nanoseconds until the session has been idle for `timeout`; 0 when it has been.
  func remaining(of timeout: UInt64, now: UInt64 = SystemClock.monotonicNanoseconds()) -> UInt64 {
    state.withLock { state in
      guard state.attached == 0 else { return timeout }
      let idle = now - min(now, state.lastUse)
      return timeout - min(timeout, idle)
    }
  }
}
