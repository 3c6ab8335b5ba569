internal import Synchronization

/// Makes tasks wait while it is closed, so that a test decides when a slow operation finishes. Thread-safe.
public final class Gate: Sendable {
  private struct State {
    var isOpen: Bool
    var waiting: [CheckedContinuation<Void, Never>] = []
  }
  private let state: Mutex<State>
  /// One element for each task that called ``pass()``, whether the gate was open or closed. A test that waits for an
  /// element knows that a task has arrived.
  public let arrivals = Recorder<Void>()

  /// Creates a gate.
  ///
  /// - Parameter open: whether the gate starts open.
  public init(open: Bool = true) { state = Mutex(State(isOpen: open)) }

  /// Makes tasks that arrive from now on wait.
  public func close() { state.withLock { $0.isOpen = false } }

  /// Lets all tasks pass: those that wait, and those that arrive later.
  public func open() {
    let waiting = state.withLock { state in
      state.isOpen = true
      defer { state.waiting.removeAll() }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }

  /// Returns when the gate is open. A cancelled task waits too.
  public func pass() async {
    await withCheckedContinuation { continuation in
      let passes = state.withLock { state in
        if !state.isOpen { state.waiting.append(continuation) }
        return state.isOpen
      }
      if passes { continuation.resume() }
      arrivals.append(())
    }
  }
}
