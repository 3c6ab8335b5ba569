internal import FirstlightServices
internal import GRPCTransport

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
