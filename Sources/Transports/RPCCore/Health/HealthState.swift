internal import Synchronization

/// The services of a server, each with the status whether the service is serving. The empty service name stands for the
/// whole server. Thread-safe.
public final class HealthState: Sendable {
  /// The status of a service in the terms of the health protocol.
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

  /// Makes a state in which the whole server and the given services are serving.
  ///
  /// - Parameter services: the full names of the services, as in ``RPCRouter/services``.
  public init(services: [String]) {
    var statuses = ["": Status.serving]
    for service in services { statuses[service] = .serving }
    state = Mutex(State(statuses: statuses))
  }

  /// Returns the status of a service, or nil for a service that this state does not know. After ``shutDown()`` every
  /// known service is not serving.
  public func status(of service: String) -> Status? {
    state.withLock { state in state.statuses[service].map { state.isShutDown ? .notServing : $0 } }
  }

  /// Changes the status of a service, and adds the service when this state does not know it yet. After ``shutDown()``
  /// every known service is reported as not serving, so clients do not see the change.
  public func set(_ status: Status, for service: String) {
    let watchers = state.withLock { state in
      state.statuses[service] = status
      return Array(state.watchers.values)
    }
    for watcher in watchers { watcher.yield() }
  }

  /// Reports every service as not serving from now on. Each watcher of the state learns the change, and its stream then
  /// ends. May be called any number of times.
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

  /// Returns a stream that has one element immediately and one after each change, and that ends after ``shutDown()``.
  /// Elements that nothing has read yet are merged into one. The consumer asks for the status after each element, and
  /// so always gets the newest status.
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
