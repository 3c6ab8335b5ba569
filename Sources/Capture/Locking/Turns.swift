internal import Synchronization

/// Lets threads of our own do something one after the other, for as long as it takes.
///
/// A turn is not a ``Locked``: it guards no state, and the thread whose turn it is may wait, call out and wake tasks.
/// Therefore only threads that may block take turns, and never a task or a cancellation handler.
public struct Turns: ~Copyable, Sendable {
  private let mutex = Mutex(())

  /// Makes turns of which none is under way.
  public init() {}

  /// Runs `body` when it is the calling thread's turn. Blocks until then.
  public borrowing func take<Result>(_ body: () -> Result) -> Result {
    // The state behind the lock is empty, so nothing leaves it.
    nonisolated(unsafe) var result: Result?
    mutex.withLock { _ in result = body() }
    return result!
  }
}
