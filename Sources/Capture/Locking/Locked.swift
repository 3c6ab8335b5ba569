public import CLocking
public import Synchronization

/// A state behind a lock. All locks of Firstlight are of this type.
///
/// Code that holds the lock must not wake a task, and must not call code that may do so: Swift's runtime holds
/// a lock of the task while it wakes it, and also while it runs the task's cancellation handlers, which may want this
/// lock. ``Broadcast`` and ``afterUnlocking(_:)`` wait until the thread holds no lock. Debug builds end the process of
/// code that does not (see `CLocking`).
public struct Locked<State: ~Copyable>: ~Copyable, @unchecked Sendable {
  @usableFromInline let mutex: Mutex<State>

  /// Creates the lock with the state behind it.
  @inlinable @inline(__always)
  public init(_ state: consuming sending State) { mutex = Mutex(state) }

  /// Runs `body` with the state, while no other thread can reach the state. Blocks until the lock is free.
  @inlinable @inline(__always)
  public borrowing func withLock<Result: ~Copyable, E: Error>(
    _ body: (inout sending State) throws(E) -> sending Result
  ) throws(E) -> sending Result {
    CLocking_enter()
    defer { if CLocking_leave() { PutOffWork.run() } }
    return try mutex.withLock(body)
  }
}
