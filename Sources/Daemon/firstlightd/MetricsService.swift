internal import FirstlightServices
internal import GRPCTransport
internal import HTTPTransport
internal import Logging
internal import RPCCore
internal import ServiceLifecycle

/// Serves the metrics to a monitoring system, at an address of their own.
///
/// The address may be open to a network that reaches nothing else of the daemon, so the server is small: it answers one
/// request per connection, has few connections, and none for long. It checks no names, since Prometheus calls a machine
/// by whatever name its configuration has, and the page tells nothing of pictures.
struct MetricsService: Service {
  private let server: HTTPServer
  private let address: HTTPAddress

  init(at address: HTTPAddress, page: HTTPPage, access: any AccessCheck, logger: Logger) {
    var configuration = HTTPServerConfiguration(address: address)
    configuration.hosts = nil
    configuration.keepsConnections = false
    configuration.maximumConnections = 16
    configuration.maximumConnectionTime = .seconds(10)
    configuration.idleTime = .seconds(10)
    configuration.drainTime = .zero
    server = HTTPServer(
      configuration: configuration, pages: [page], access: access, errorMapper: ErrorMapping.rpcError, logger: logger)
    self.address = address
  }

  /// The address at which the server listens, with the port that the kernel picked. Waits until the server listens.
  var boundAddress: HTTPAddress {
    get async throws { try await naming { try await server.boundAddress } }
  }

  func run() async throws { try await naming { try await server.run() } }

  /// Names the setting whose address cannot be listened at.
  private func naming<R>(_ body: () async throws -> R) async throws -> R {
    do { return try await body() } catch let error as HTTPServerError {
      throw ConfigurationProblem(description: "metrics-listen cannot be \(address): \(error)")
    }
  }
}

extension MetricsText {
  /// Adds the figures of the gRPC server.
  mutating func add(_ counters: GRPCServerCounters) {
    add("firstlight_grpc_connections", .gauge, "Connections that are open.", counters.connections)
    add(
      "firstlight_grpc_connections_accepted_total", .counter, "Connections accepted.", counters.connectionsAccepted)
    add(
      "firstlight_grpc_connections_refused_total", .counter,
      "Connections refused, because there were too many, the address was cut before, or no descriptor was left.",
      counters.connectionsRefused)
    add(
      "firstlight_grpc_connections_gave_way_total", .counter,
      "Connections without a call that were closed to make room for a new one.",
      counters.connectionsGaveWay)
    add(
      "firstlight_grpc_connections_cut_total", .counter,
      "Connections cut, because they sent far more calls or bytes than a client needs.",
      [
        MetricSample(Double(counters.connectionsCutForCalls), ["excess": "calls"]),
        MetricSample(Double(counters.connectionsCutForBytes), ["excess": "bytes"]),
      ])
    add("firstlight_grpc_calls", .gauge, "Calls that run or wait, streams included.", counters.calls)
    add(
      "firstlight_grpc_calls_refused_total", .counter, "Calls refused, because they were over a limit.",
      counters.callsRefused)
  }
}

extension ServerLimits {
  /// The limits of the gRPC server.
  init(_ server: GRPCServerConfiguration) {
    self.init(
      maximumRequestBytes: server.requests.maximumBytes,
      maximumSmallRequestBytes: min(server.requests.maximumSmallBytes, server.requests.maximumBytes),
      maximumConnections: server.connections.maximum,
      maximumConnectionsPerAddress: server.connections.maximumPerAddress, maximumCalls: server.calls.maximum,
      maximumCallsPerConnection: server.calls.maximumPerConnection,
      maximumCallsPerSecond: server.connections.budget.callsPerSecond)
  }
}
