internal import Locking

/// Something that happens once, for which tasks can wait. Thread-safe.
final class Milestone: Sendable {
  private struct State {
    var isReached = false
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Locked(State())

  /// Lets all who wait go on.
  func reach() {
    let waiters = state.withLock { state in
      state.isReached = true
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Returns when the milestone is reached. Cancelling the task has no effect.
  func reached() async {
    await withCheckedContinuation { waiter in
      let isReached = state.withLock { state in
        if !state.isReached { state.waiters.append(waiter) }
        return state.isReached
      }
      if isReached { waiter.resume() }
    }
  }
}
