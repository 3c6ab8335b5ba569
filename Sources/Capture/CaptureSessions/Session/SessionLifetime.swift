internal import CaptureCore
internal import Locking
internal import SystemClocks

/// Where a session is in its life: being created, taking calls, or deleted.
struct SessionLifetime {
  /// Happens when the creation ends, because the session has its first configuration or will get none. This type does
  /// not bound the calls that wait for it, because the server bounds how many calls run.
  private let creation = Event<Void>()
  /// The error that calls get after the session was deleted; nil before.
  private(set) var ended: CaptureError?

  /// - Parameter isBeingCreated: whether the call that creates the session has yet to configure it.
  init(isBeingCreated: Bool) { if !isBeingCreated { creation.happen() } }

  /// Whether the call that creates the session has yet to configure it.
  var isBeingCreated: Bool { creation.valueIfHappened == nil }

  /// Whether a call waits for the end of the creation.
  var isAwaited: Bool { creation.isAwaited }

  /// Returns when the creation has ended.
  func awaitCreation() async { await creation.wait() }

  /// Ends the creation.
  func endCreation() { creation.happen() }

  mutating func end(_ error: CaptureError) { ended = error }

  /// - Throws: the error that the session ended with.
  func checkAlive() throws(CaptureError) { if let ended { throw ended } }
}

/// Runs the calls that change a session one after the other.
struct CallOrder {
  private var last: Task<Void, Never>?

  /// Runs `body` on the session after every earlier call has ended. The call gets a task of its own on the session's
  /// actor, so that cancelling its caller cannot interrupt it half-way.
  mutating func enqueue<R: Sendable>(
    on session: isolated CaptureSession,
    _ body: @escaping @Sendable (isolated CaptureSession) async throws -> R
  ) -> Task<R, any Error> {
    let previous = last
    let task = Task {
      await previous?.value
      return try await body(session)
    }
    last = Task { _ = await task.result }
    return task
  }
}

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
