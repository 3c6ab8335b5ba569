internal import CaptureSessions
public import MetricsTransport
internal import SystemPressure

/// What the daemon tells a monitoring system at the moment it is asked. The page reads from the machine only what the
/// process itself takes; the pressure on it is that of the last reading.
public struct MetricsPage: Sendable {
  private let services: CameraServices
  private let version: String
  private let addTransports: @Sendable (inout MetricsText) -> Void
  private let processStart: Double

  /// - Parameters:
  ///   - version: the version of the daemon.
  ///   - processStart: when the process began, in seconds since the Unix epoch.
  ///   - addTransports: adds the figures of the transports, which the services do not know.
  public init(
    of services: CameraServices, version: String, processStart: Double,
    addTransports: @escaping @Sendable (inout MetricsText) -> Void
  ) {
    self.services = services
    self.version = version
    self.addTransports = addTransports
    self.processStart = processStart
  }

  /// Writes the page.
  public func text() async -> String {
    var page = MetricsText()
    page.add(
      "firstlight_build_info", .gauge, "1; the version of the daemon is in the label.",
      [MetricSample(1, ["version": version])])
    page.add(services.pressure.state(of: .everything))
    await page.add(sessions: SessionFigures.all(in: services.sessions))
    addTransports(&page)
    page.add(ProcessFigures.now(start: processStart))
    return page.text
  }
}
