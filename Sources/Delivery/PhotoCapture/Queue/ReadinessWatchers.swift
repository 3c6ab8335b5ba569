internal import CaptureCore
internal import Synchronization

/// Who watches readiness. Thread-safe.
final class ReadinessWatchers: Sendable {
  typealias Watcher = AsyncThrowingStream<Void, any Error>.Continuation

  private struct State {
    var watchers: [String: Watcher] = [:]
    var closed: CaptureError?
  }

  private let state = Mutex(State())

  /// Adds a watcher, which is told at once. Once closed, it ends at once.
  func add(_ token: String, _ watcher: Watcher) {
    let closed = state.withLock { state in
      if state.closed == nil { state.watchers[token] = watcher }
      return state.closed
    }
    if let closed { watcher.finish(throwing: closed) } else { watcher.yield(()) }
  }

  func remove(_ token: String) { state.withLock { $0.watchers[token] = nil } }

  /// Tells every watcher that readiness changed.
  func tell() { for watcher in state.withLock({ Array($0.watchers.values) }) { watcher.yield(()) } }

  /// Ends every watcher with `error`, also those to come.
  func close(_ error: CaptureError) {
    let watchers = state.withLock { state in
      defer { (state.watchers, state.closed) = ([:], state.closed ?? error) }
      return Array(state.watchers.values)
    }
    for watcher in watchers { watcher.finish(throwing: error) }
  }
}
