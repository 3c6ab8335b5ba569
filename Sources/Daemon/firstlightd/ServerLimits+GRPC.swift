internal import FirstlightServices
internal import GRPCTransport

extension ServerLimits {
  /// The limits of the gRPC server.
  init(_ server: GRPCServerConfiguration) {
    self.init(
      maximumRequestBytes: server.maximumRequestBytes,
      maximumSmallRequestBytes: min(server.maximumSmallRequestBytes, server.maximumRequestBytes),
      maximumConnections: server.maximumConnections,
      maximumConnectionsPerAddress: server.maximumConnectionsPerAddress, maximumCalls: server.maximumCalls,
      maximumCallsPerConnection: server.maximumConcurrentStreams,
      maximumCallsPerSecond: server.budget.callsPerSecond)
  }
}
