internal import CaptureCore
internal import Synchronization

/// Sends device changes to any number of watchers. Thread-safe.
final class ChangeBroadcaster: Sendable {
  private struct State {
    var watchers: [UInt64: AsyncStream<DeviceChange>.Continuation] = [:]
    var nextID: UInt64 = 0
  }
  private let state = Mutex(State())

  /// The changes from now on. The stream keeps the newest 64 changes: a watcher that is further behind loses the oldest
  /// ones.
  func watch() -> AsyncStream<DeviceChange> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: DeviceChange.self, bufferingPolicy: .bufferingNewest(64))
    let id = state.withLock { state in
      state.nextID += 1
      state.watchers[state.nextID] = continuation
      return state.nextID
    }
    continuation.onTermination = { [weak self] _ in
      _ = self?.state.withLock { $0.watchers.removeValue(forKey: id) }
    }
    return stream
  }

  func send(_ changes: [DeviceChange]) {
    let watchers = state.withLock { Array($0.watchers.values) }
    for change in changes {
      for watcher in watchers { watcher.yield(change) }
    }
  }

  /// Ends every watcher's stream.
  func finish() {
    let watchers = state.withLock { Array($0.watchers.values) }
    for watcher in watchers { watcher.finish() }
  }
}
