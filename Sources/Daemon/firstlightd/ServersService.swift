internal import GRPCTransport
internal import ServiceLifecycle

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
