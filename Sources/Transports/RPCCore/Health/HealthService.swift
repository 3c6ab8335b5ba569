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
