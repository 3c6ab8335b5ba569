/// Something that happens once, with a value, for which any number of tasks can wait. Thread-safe.
///
/// Any code may let it happen, also under a ``Locked``: the tasks wake only once the thread holds no lock any more.
public final class Event<Value: Sendable>: Sendable {
  private struct State {
    var value: Value?
    /// Those who wait. Each is a task, so whoever bounds the tasks bounds them.
    var waiters: [CheckedContinuation<Value, Never>] = []
  }
  private let state = Locked(State())

  /// Makes an event that has not happened.
  public init() {}

  /// Lets all who wait go on.
  ///
  /// - Returns: whether the event had not happened. Otherwise it keeps its value.
  @discardableResult
  public func happen(_ value: Value) -> Bool {
    let waiters: [CheckedContinuation<Value, Never>]? = state.withLock { state in
      guard state.value == nil else { return nil }
      state.value = value
      defer { state.waiters = [] }
      return state.waiters
    }
    guard let waiters else { return false }
    if !waiters.isEmpty { afterUnlocking { for waiter in waiters { waiter.resume(returning: value) } } }
    return true
  }

  /// The value. Waits until the event has happened; cancelling the task has no effect.
  public var value: Value {
    get async {
      await withCheckedContinuation { waiter in
        let value = state.withLock { state in
          if state.value == nil { state.waiters.append(waiter) }
          return state.value
        }
        if let value { waiter.resume(returning: value) }
      }
    }
  }

  /// The value; nil before the event has happened. Does not wait.
  public var valueIfHappened: Value? { state.withLock(\.value) }

  /// Whether a task waits.
  public var isAwaited: Bool { state.withLock { !$0.waiters.isEmpty } }
}

extension Event<Void> {
  /// Lets all who wait go on. Does nothing when the event has happened.
  public func happen() { happen(()) }

  /// Returns when the event has happened. Cancelling the task has no effect.
  public func wait() async { await value }
}
