internal import FirstlightServices
internal import GRPCTransport

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
