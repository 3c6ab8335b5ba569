internal import GRPCTransport
internal import MetricsTransport

extension MetricsText {
  /// Adds the figures of the gRPC server.
  mutating func add(_ counters: GRPCServerCounters) {
    add("firstlight_grpc_connections", .gauge, "Connections that are open.", counters.connections)
    add(
      "firstlight_grpc_connections_accepted_total", .counter, "Connections accepted.", counters.connectionsAccepted)
    add(
      "firstlight_grpc_connections_refused_total", .counter,
      "Connections refused: too many, from an address that was cut, or no descriptor left.",
      counters.connectionsRefused)
    add(
      "firstlight_grpc_connections_gave_way_total", .counter, "Connections without a call, closed for a newcomer.",
      counters.connectionsGaveWay)
    add(
      "firstlight_grpc_connections_cut_total", .counter,
      "Connections cut: far more calls or bytes than one needs.",
      [
        MetricSample(Double(counters.connectionsCutForCalls), ["excess": "calls"]),
        MetricSample(Double(counters.connectionsCutForBytes), ["excess": "bytes"]),
      ])
    add("firstlight_grpc_calls", .gauge, "Calls that run or wait, streams included.", counters.calls)
    add("firstlight_grpc_calls_refused_total", .counter, "Calls refused: over a limit.", counters.callsRefused)
  }
}
