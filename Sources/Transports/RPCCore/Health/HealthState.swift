internal import Synchronization

/// Which services are up. The empty name stands for the server as a whole. Thread-safe.
public final class HealthState: Sendable {
  /// What the health protocol says of a service.
  public enum Status: Hashable, Sendable {
    case serving
    case notServing
  }

  private struct State {
    var statuses: [String: Status]
    var watchers: [UInt64: AsyncStream<Void>.Continuation] = [:]
    var nextWatcher: UInt64 = 0
    var isShutDown = false
  }
  private let state: Mutex<State>

  /// - Parameter services: their full names, as in ``RPCRouter/services``. They and the server begin as serving.
  public init(services: [String]) {
    var statuses = ["": Status.serving]
    for service in services { statuses[service] = .serving }
    state = Mutex(State(statuses: statuses))
  }

  /// The status of a service; nil for one that was never named. After ``shutDown()`` every named service is not
  /// serving.
  public func status(of service: String) -> Status? {
    state.withLock { state in state.statuses[service].map { state.isShutDown ? .notServing : $0 } }
  }

  /// Names a service or changes its status. After ``shutDown()`` clients do not see the change.
  public func set(_ status: Status, for service: String) {
    let watchers = state.withLock { state in
      state.statuses[service] = status
      return Array(state.watchers.values)
    }
    for watcher in watchers { watcher.yield() }
  }

  /// From now on nothing is serving. Watchers hear that and then end. May be called any number of times.
  public func shutDown() {
    let watchers = state.withLock { state in
      state.isShutDown = true
      defer { state.watchers.removeAll() }
      return Array(state.watchers.values)
    }
    for watcher in watchers {
      watcher.yield()
      watcher.finish()
    }
  }

  /// Has an element at once and one after each change. The consumer asks for the status with each element, so that it
  /// never misses the newest one. Ends after ``shutDown()``.
  func changes() -> AsyncStream<Void> {
    let (stream, watcher) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let id: UInt64? = state.withLock { state in
      if state.isShutDown { return nil }
      state.nextWatcher += 1
      state.watchers[state.nextWatcher] = watcher
      return state.nextWatcher
    }
    watcher.yield()
    if let id {
      watcher.onTermination = { [weak self] _ in self?.forget(id) }
    } else {
      watcher.finish()
    }
    return stream
  }

  private func forget(_ id: UInt64) {
    _ = state.withLock { $0.watchers.removeValue(forKey: id) }
  }
}
