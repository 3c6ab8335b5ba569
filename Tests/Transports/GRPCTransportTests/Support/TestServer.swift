internal import GRPCTransport
internal import Logging
internal import ServiceLifecycleTestKit
internal import SwiftProtobuf

typealias Text = Google_Protobuf_StringValue

extension MethodDescriptor {
  /// A method of the service that the tests define.
  static func test(_ method: String) -> MethodDescriptor { MethodDescriptor(service: "test.v1.Test", method: method) }
}

struct TestServer: Sendable {
  let server: GRPCServer
  let addresses: [String]
  fileprivate let trigger: GracefulShutdownTestTrigger

  /// Of the first address, which is none of a Unix socket.
  var port: UInt16 { UInt16(addresses[0].split(separator: ":").last!)! }

  /// A client with a connection of its own.
  func client() -> TestClient { TestClient(addresses[0]) }

  /// Begins a graceful shutdown.
  func shutDown() { trigger.triggerGracefulShutdown() }
}

/// Runs a server on a free loopback port around `body`, then shuts it down gracefully and waits for its end.
func withServer(
  _ configuration: GRPCServerConfiguration = .test, interceptors: [any ServerInterceptor] = [],
  errorMapper: @escaping @Sendable (any Error) -> RPCError? = { _ in nil }, health: HealthState? = nil,
  routes: (inout RPCRouter) throws -> Void, body: @escaping @Sendable (TestServer) async throws -> Void
) async throws {
  var router = RPCRouter()
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
  static var test: GRPCServerConfiguration {
    var configuration = GRPCServerConfiguration()
    configuration.errorDomain = "test"
    return configuration
  }
}
