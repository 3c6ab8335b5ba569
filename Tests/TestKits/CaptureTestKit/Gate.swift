internal import Synchronization

/// Holds back whoever passes while it is closed, so that a test decides when something slow finishes. Thread-safe.
public final class Gate: Sendable {
  private struct State {
    var isOpen: Bool
    var waiting: [CheckedContinuation<Void, Never>] = []
  }
  private let state: Mutex<State>
  /// One element for each arrival, open or closed: wait for it to know that somebody stands at the gate.
  public let arrivals = Recorder<Void>()

  public init(open: Bool = true) { state = Mutex(State(isOpen: open)) }

  /// Makes everyone who arrives from now on wait.
  public func close() { state.withLock { $0.isOpen = false } }

  /// Lets everyone through, those waiting and those to come.
  public func open() {
    let waiting = state.withLock { state in
      state.isOpen = true
      defer { state.waiting.removeAll() }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }

  /// Returns when the gate is open. Cancellation does not let anyone through.
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
