internal import CaptureSessions
public import HTTPTransport
internal import MovieRecording
public import SystemClocks
internal import SystemPressure
internal import VideoStorage

/// The page of metrics that the daemon gives to a monitoring system. Making a page reads only the figures of the
/// process from the machine. The pressure on the page is that of the last reading.
public struct MetricsPage: Sendable {
  private let services: CameraServices
  private let version: String
  private let addTransports: @Sendable (inout MetricsText) -> Void
  private let processStart: WallInstant

  /// Makes a page; ``text()`` writes it, anew for each request.
  ///
  /// - Parameters:
  ///   - services: the objects whose figures are on the page.
  ///   - version: the version of the daemon.
  ///   - processStart: when the process began.
  ///   - addTransports: adds the figures of the transports, which the services do not know.
  public init(
    of services: CameraServices, version: String, processStart: WallInstant,
    addTransports: @escaping @Sendable (inout MetricsText) -> Void
  ) {
    self.services = services
    self.version = version
    self.addTransports = addTransports
    self.processStart = processStart
  }

  /// The page as the HTTP servers take it.
  public var page: HTTPPage {
    HTTPPage("/metrics", .server) { await HTTPAnswer(contentType: MetricsText.contentType, text()) }
  }

  /// Returns the page as it is now, in Prometheus' text format; see ``MetricsText``.
  public func text() async -> String {
    var page = MetricsText()
    page.add(
      "firstlight_build_info", .gauge, "1; the version of the daemon is in the label.",
      [MetricSample(1, ["version": version])])
    page.add(services.pressure.state(of: .everything))
    await page.add(sessions: SessionFigures.all(in: services.sessions))
    await page.add(services.declaredStates())
    page.add(services.movies.recordings.counters.now)
    await page.add(services.movies.videoStorage.state)
    addTransports(&page)
    page.add(ProcessFigures.now(start: processStart))
    return page.text
  }
}
