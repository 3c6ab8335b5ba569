internal import Locking

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
    var isShutDown = false
  }
  private let state: Locked<State>
  private let changed = Broadcast<Void>(depth: 1)

  /// Makes a state in which the whole server and the given services are serving.
  ///
  /// - Parameter services: the full names of the services, as in ``RPCRouter/services``.
  public init(services: [String]) {
    var statuses = ["": Status.serving]
    for service in services { statuses[service] = .serving }
    state = Locked(State(statuses: statuses))
  }

  /// Returns the status of a service, or nil for a service that this state does not know. After ``shutDown()`` every
  /// known service is not serving.
  public func status(of service: String) -> Status? {
    state.withLock { state in state.statuses[service].map { state.isShutDown ? .notServing : $0 } }
  }

  /// Changes the status of a service, and adds the service when this state does not know it yet. After ``shutDown()``
  /// every known service is reported as not serving, so clients do not see the change.
  public func set(_ status: Status, for service: String) {
    state.withLock { $0.statuses[service] = status }
    changed.tell()
  }

  /// Reports every service as not serving from now on. Each watcher of the state learns the change, and its stream then
  /// ends. May be called any number of times.
  public func shutDown() {
    state.withLock { $0.isShutDown = true }
    changed.tell()
    changed.end()
  }

  /// Has an element immediately and one after each change, and ends after ``shutDown()``. Elements that nothing has
  /// read yet are merged into one. The consumer asks for the status after each element, and so always gets the newest
  /// status.
  func changes() -> NewestValues<Void> { NewestValues(of: changed.watch()) {} }
}
