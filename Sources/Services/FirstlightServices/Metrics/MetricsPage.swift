internal import CaptureSessions
public import GRPCTransport
internal import MetricsTransport
internal import SystemPressure

/// What the daemon tells a monitoring system, as of the moment it is asked. Nothing is read from the machine for it but
/// what the process itself takes: pressure is as of the last reading.
public struct MetricsPage: Sendable {
  private let services: CameraServices
  private let version: String
  private let counters: @Sendable () -> GRPCServerCounters
  private let processStart: Double

  /// - Parameters:
  ///   - version: the daemon's.
  ///   - counters: of the server, now.
  ///   - processStart: seconds since the Unix epoch.
  public init(
    of services: CameraServices, version: String, processStart: Double,
    counters: @escaping @Sendable () -> GRPCServerCounters
  ) {
    self.services = services
    self.version = version
    self.counters = counters
    self.processStart = processStart
  }

  /// The page now.
  public func text() async -> String {
    var page = MetricsText()
    page.add(
      "firstlight_build_info", .gauge, "1; the version of the daemon is in the label.",
      [MetricSample(1, ["version": version])])
    page.add(services.pressure.state(of: .everything))
    await page.add(sessions: SessionFigures.all(in: services.sessions))
    page.add(counters())
    page.add(ProcessFigures.now(start: processStart))
    return page.text
  }
}

extension MetricsText {
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
