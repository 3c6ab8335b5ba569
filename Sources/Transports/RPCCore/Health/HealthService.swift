internal import Locking
internal import SwiftProtobuf

/// The service `grpc.health.v1.Health`, which tells clients the statuses of a ``HealthState``.
public enum HealthService {
  private typealias Request = Grpc_Health_V1_HealthCheckRequest
  private typealias Response = Grpc_Health_V1_HealthCheckResponse

  /// Adds the service to a router. For a service that `state` does not know, `Check` fails with `NOT_FOUND`, and
  /// `Watch` reports `SERVICE_UNKNOWN` and keeps its stream open. When the server shuts down, `Watch` reports
  /// `NOT_SERVING` and then ends its stream with `UNAVAILABLE`.
  public static func register(on router: inout RPCRouter, state: HealthState) {
    router.unary(Grpc_Health_V1_Health.check) { (request: Request, _) -> Response in
      guard let status = state.status(of: request.service) else {
        throw RPCError(
          .notFound, "There is no service \(request.service).", reason: "SERVICE_NOT_FOUND",
          metadata: ["service": request.service])
      }
      return response(status)
    }
    router.serverStreaming(Grpc_Health_V1_Health.watch) { (request: Request, _, writer: ResponseWriter<Response>) in
      var last: Response?
      for await _ in state.changes() {
        let current = response(state.status(of: request.service))
        if current != last { try await writer.write(current) }
        last = current
      }
      try Task.checkCancellation()
      throw RPCError.shuttingDown
    }
  }

  private static func response(_ status: HealthState.Status?) -> Response {
    .with {
      $0.status =
        switch status {
        case .serving: .serving
        case .notServing: .notServing
        case nil: .serviceUnknown
        }
    }
  }
}

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
