internal import GRPCTransport
internal import Logging
internal import RPCCore
internal import ServiceLifecycleTestKit

/// A running server under test.
struct TestServer: Sendable {
  let server: GRPCServer
  /// The addresses that the server listens on, with the ports that the system chose.
  let addresses: [String]
  fileprivate let trigger: GracefulShutdownTestTrigger

  /// The port of the first address, which must not be a Unix socket.
  var port: UInt16 { UInt16(addresses[0].split(separator: ":").last!)! }

  /// Makes a client with a connection of its own.
  func client() -> TestClient { TestClient(addresses[0]) }

  /// Begins a graceful shutdown.
  func shutDown() { trigger.triggerGracefulShutdown() }
}

/// Runs a server on a free loopback port while `body` runs, then shuts the server down gracefully and waits for its
/// end. Throws the errors of the server and of `body`.
func withServer(
  _ configuration: GRPCServerConfiguration = .test, interceptors: [any ServerInterceptor] = [],
  errorMapper: @escaping @Sendable (any Error) -> RPCError? = { _ in nil }, health: HealthState? = nil,
  routes: (inout RPCRouter) throws -> Void, body: @escaping @Sendable (TestServer) async throws -> Void
) async throws {
  var router = RPCRouter(access: nil)
  try routes(&router)
  let server = GRPCServer(
    configuration: configuration, router: router, interceptors: interceptors, errorMapper: errorMapper,
    health: health, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
  try await testGracefulShutdown { trigger in
    try await withThrowingTaskGroup { group in
      group.addTask { try await server.run() }
      group.addTask {
        defer { trigger.triggerGracefulShutdown() }
        try await body(TestServer(server: server, addresses: server.boundAddresses, trigger: trigger))
      }
      try await group.waitForAll()
    }
  }
}

extension GRPCServerConfiguration {
  /// The configuration of most tests: the default with the error domain `test`.
  static var test: GRPCServerConfiguration {
    var configuration = GRPCServerConfiguration()
    configuration.errorDomain = "test"
    return configuration
  }
}
