internal import CaptureCore
internal import Locking
internal import SystemClocks

/// The output's way to its session. The output cuts it when it is closed, because the session holds its outputs too.
/// Thread-safe.
final class SessionLink: Sendable {
  let sessionID: String
  private let held: Locked<(any OutputContext)?>

  init(_ context: any OutputContext) {
    sessionID = context.sessionID
    held = Locked(context)
  }

  /// Nil once the output is closed.
  var context: (any OutputContext)? { held.withLock { $0 } }

  func cut() { held.withLock { $0 = nil } }

  /// Until when a capture that begins to wait at `now` waits for its frames.
  func frameDeadline(from now: MonotonicInstant) -> MonotonicInstant {
    now + (context?.framePatienceNanoseconds ?? 0)
  }
}
