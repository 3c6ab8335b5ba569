internal import CaptureSessions
internal import GRPCTransport
internal import HTTPTransport
internal import Logging
internal import ServiceLifecycle

/// Runs the HTTP server. When the operator did not choose its address and it cannot listen there, the daemon goes on
/// without HTTP: another program often has the usual port, and clients by gRPC need no HTTP.
struct HTTPService: Service {
  let server: HTTPServer
  /// Whether the operator chose the address.
  let isRequired: Bool
  let logger: Logger

  /// The address at which the server listens, with the port that the kernel picked; nil when the daemon goes on without
  /// HTTP. Waits until the server listens.
  var boundAddress: HTTPAddress? {
    get async throws {
      do { return try await server.boundAddress } catch is HTTPServerError where !isRequired { return nil }
    }
  }

  func run() async throws {
    do { try await server.run() } catch let error as HTTPServerError where !isRequired {
      logger.warning(
        "The daemon goes on without HTTP; set http-listen to another address, or to none.",
        metadata: ["error.message": "\(error)"])
    }
  }
}

/// Runs the servers of the RPCs at the same time, so that their calls also end at the same time when the daemon stops.
struct ServersService: Service {
  let grpc: GRPCServer
  /// The HTTP server; nil without one.
  let http: HTTPService?

  func run() async throws {
    try await withThrowingTaskGroup { group in
      group.addTask { try await grpc.run() }
      if let http { group.addTask { try await http.run() } }
      try await group.waitForAll()
    }
  }
}

/// Runs `body` until the daemon stops, and then cancels it. `body` must end when it is cancelled.
struct TaskService: Service {
  let body: @Sendable () async -> Void

  func run() async throws {
    await cancelWhenGracefulShutdown { await body() }
  }
}
