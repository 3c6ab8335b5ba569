internal import AudioCapture
internal import CMemory
internal import CaptureCore
internal import CaptureSessions
internal import DelayedFeeds
internal import FirstlightServices
internal import Foundation
internal import FrameComposition
internal import GRPCTransport
internal import HTTPTransport
internal import Imaging
internal import LocalTransport
internal import Logging
internal import MovieRecording
internal import PhotoCapture
internal import PhotoLibrary
internal import FrameDelivery
internal import RPCCore
internal import ServiceLifecycle
internal import SyntheticCapture
internal import SystemFiles
internal import SystemPressure
internal import SystemSleep
internal import SystemWatchdog
internal import UnixSignals
internal import V4L2Capture
internal import VideoCoding
internal import VideoStorage

/// The composition root of the daemon, and the only place where V4L2 meets gRPC. Makes all parts, runs them and ends
/// them in order.
struct Daemon {
  let configuration: DaemonConfiguration
  let logger: Logger

  /// Runs the daemon until SIGTERM or SIGINT.
  ///
  /// - Throws: ``ConfigurationProblem`` for a configuration that does not fit the machine, and the error of a service
  ///   that fails.
  func run() async throws {
    DescriptorLimit.raise()
    CMemory_keep_small()
    let claims = try FolderClaims(configuration.folders)
    defer { withExtendedLifetime(claims) {} }
    let folder = DataFolder(path: configuration.folders.data) { [logger] in
      logger.warning("The data folder cannot be used as it is.", metadata: ["error.message": "\($0)"])
    }
    // The V4L2 provider is made first, because it looks for cameras on a thread of its own while the daemon makes the
    // other parts.
    let real = V4L2DeviceProvider(directory: configuration.declared.devices.directory, folder: folder, logger: logger)
    let machine = await MachineCalibration(configuration: configuration, folder: folder, logger: logger).begin()
    let synthetic = await syntheticProvider(beside: real)
    let microphones = Microphones(configuration, logger: logger)
    let cameras = await real.identities() + (synthetic?.identities ?? [])
    try await configuration.declared.devices.check(cameras + microphones.identities())
    try configuration.declared.devices.check(configuration.declared.sessions ?? [], cameras)
    let devices = DeviceRegistry(
      providers: [real] + (synthetic.map { [$0] } ?? []), microphones: microphones.registry, machine: machine)
    let readers = ReaderDirectory()
    let captures = CaptureStore()
    let videoStorage = makeVideoStorage()
    try await check(videoStorage)
    let recordings = makeRecordings(videoStorage)
    let library = PhotoLibrary(
      folder: configuration.folders.data + "/library", quota: configuration.library.quota, logger: logger)
    let local = try makeLocalServer()
    let memory = local == nil ? FrameMemory.process : .shared
    let pressure = PressureMonitor(
      reader: PressureReader(sysfsRoot: configuration.folders.sysfs, procfsRoot: configuration.folders.procfs),
      overrides: configuration.pressureThresholds, logger: logger)
    let ladder = AdaptationLadder.standard
    let records = (configuration.declared.sessions ?? []).compactMap { session in
      session.record.map { (session.id, $0) }
    }
    let outputs = SessionOutputs(
      readers: readers, captures: captures, recordings: recordings, memory: memory,
      usesHardwareEncoders: configuration.usesHardwareEncoders,
      continuous: Dictionary(records) { first, _ in first }, logger: logger)
    let sessions = SessionRegistry(
      devices: devices, pressure: ladder.demands(of: pressure.current), logger: logger,
      deferredStartLimit: .seconds(configuration.deferredStartLimit), memory: memory,
      meanLuma: { $0.meanLuma },
      makeComposition: { Composition(id: $0, layers: $1) }, makeOutput: outputs.make)
    if configuration.prewarm { await devices.prewarm(logger: logger) }
    let declared = try await DeclaredSessions(
      configuration.declared.sessions ?? [], in: sessions, on: devices, logger: logger)
    let defaultSession =
      configuration.declared.sessions == nil ? try await DefaultSession(in: sessions, on: devices, logger: logger) : nil
    if configuration.prewarm { await defaultSession?.declare() }
    let health = HealthState(services: CameraServices.serviceNames)
    let access = StandardAccess(networkPermissions: configuration.library.networkPermissions)
    let services = CameraServices(
      devices: devices, sessions: sessions, readers: readers, captures: captures, library: library,
      recordings: recordings, videoStorage: videoStorage, configurationFile: configuration.declared.file,
      delayedFeeds: DelayedFeedRegistry(folder: recordingsFolder), pressure: pressure,
      ladder: ladder, access: access, logger: logger)
    let faults = SyntheticDeviceFaults(cameras: synthetic?.faults, microphones: microphones.synthetic?.faults)
    let router = try makeRouter(services, faults: faults, health)
    let server = makeServer(router, health)
    let manager = ServiceManager(
      environment: ProcessInfo.processInfo.environment, processID: ProcessInfo.processInfo.processIdentifier)
    try PoolWatchdog(manager: manager, logger: logger) { server.setStandingStill($0) }.start()
    let metricsPage = makeMetricsPage(services, server)
    let http = makeHTTPServer(router, services.pages(health, metricsPage), access)
    let metrics = configuration.addresses.metrics.map {
      MetricsService(at: $0, page: metricsPage.page, access: access, logger: logger)
    }

    // The group stops its services in reverse order. The sessions stop first, so that every stream ends with a status
    // of its own before the servers drain their calls.
    let group = ServiceGroup(
      configuration: .init(
        // The metrics stop last, so that an operator can watch the end of everything else.
        services: (metrics.map { [.init(service: $0)] } ?? []) + localServices(local, services)
          + defaultServices(defaultSession) + [
            .init(service: TaskService { await pressure.run() }),
            .init(
              service: TaskService {
                for await _ in pressure.watch(.everything) {
                  await sessions.setPressure(ladder.demands(of: pressure.state(of: .everything)))
                }
              }),
            .init(service: TaskService { await sessions.tellCosts() }),
            .init(
              service: TaskService { [logger] in
                await LateLog(counters: recordings.counters, services: services, logger: logger).run()
              }),
            .init(
              service: TaskService { [logger] in
                await SleepMonitor(logger: logger).run { isAsleep in await sessions.setSystemAsleep(isAsleep) }
              }),
            .init(service: TaskService { await CameraThermometers(devices: devices, pressure: pressure).run() }),
            .init(service: TaskService { await devices.run() }),
            .init(service: TaskService { try? await captures.run() }),
            .init(service: declared),
            .init(service: ServersService(grpc: server, http: http)),
            .init(
              service: ReadinessService(
                server: server, http: http, metrics: metrics, sessions: sessions, manager: manager, logger: logger)),
            .init(
              service: SessionsService(
                sessions: sessions, recordings: recordings, library: library, devices: devices, health: health,
                logger: logger, drainTimeout: .seconds(configuration.limits.drainTimeout))),
          ],
        gracefulShutdownSignals: [.sigterm, .sigint],
        logger: logger))
    try await group.run()
    await library.close()
  }

  /// The synthetic cameras: as many as the configuration asks for, or one when the configuration asks for none in
  /// particular and there is no real camera. Nil for none.
  private func syntheticProvider(beside real: V4L2DeviceProvider) async -> SyntheticDeviceProvider? {
    let count: Int
    if let asked = configuration.synthetic.cameras {
      count = asked
    } else {
      count = await real.knownDevices().isEmpty ? 1 : 0
    }
    return count == 0
      ? nil
      : SyntheticDeviceProvider(
        count: count, usbMegabits: configuration.synthetic.usbMegabits,
        directory: configuration.declared.devices.directory)
  }

  /// The service of the local socket, which stops last but one, so that programs still hear from their sessions why
  /// their streams end. Empty without a local socket.
  private func localServices(
    _ server: LocalServer?, _ services: CameraServices
  ) -> [ServiceGroupConfiguration.ServiceConfiguration] {
    guard let server else { return [] }
    return [.init(service: TaskService { await server.run { await services.serveSharedVideoData($0) } })]
  }

  private func defaultServices(_ session: DefaultSession?) -> [ServiceGroupConfiguration.ServiceConfiguration] {
    session.map { [.init(service: $0)] } ?? []
  }

  private func makeLocalServer() throws -> LocalServer? {
    guard let path = configuration.addresses.localSocket else { return nil }
    do { return try LocalServer(path: path, logger: logger) } catch {
      throw ConfigurationProblem(description: "local-socket cannot be \(path): \(error.message)")
    }
  }

  /// The methods that clients may call, over every transport.
  private func makeRouter(
    _ services: CameraServices, faults: SyntheticDeviceFaults, _ health: HealthState
  ) throws -> RPCRouter {
    let facts = ServerFacts(
      version: Firstlightd.version, bootID: BootID.read(), server: ServerLimits(serverConfiguration()),
      usesHardwareEncoders: configuration.usesHardwareEncoders,
      deferredStartLimit: .seconds(configuration.deferredStartLimit))
    var drills = Drills(injectFault: nil)
    if !faults.isEmpty { drills.injectFault = { try await faults.inject($0, into: $1) } }
    return try services.router(
      facts: facts, health: health, drills: configuration.faultInjectionEnabled ? drills : nil)
  }

  private func makeMetricsPage(_ services: CameraServices, _ server: GRPCServer) -> MetricsPage {
    MetricsPage(of: services, version: Firstlightd.version, processStart: ProcessStart.wall()) {
      $0.add(server.counters)
    }
  }

  /// The HTTP server. Nil without an address for it.
  private func makeHTTPServer(
    _ router: RPCRouter, _ pages: [HTTPPage], _ access: any AccessCheck
  ) -> HTTPService? {
    guard let address = configuration.addresses.http else { return nil }
    var http = HTTPServerConfiguration(address: address)
    http.hosts = configuration.addresses.httpHosts
    http.origins = configuration.addresses.httpOrigins
    http.maximumRequestBytes = configuration.limits.requestBytes
    http.errorDomain = ErrorMapping.domain
    http.drainTime = .seconds(configuration.limits.drainTimeout)
    let server = HTTPServer(
      configuration: http, pages: pages, files: ViewfinderFiles.all, access: access, router: router,
      interceptors: [CallLog(logger: logger)], errorMapper: ErrorMapping.rpcError, logger: logger)
    return HTTPService(server: server, isRequired: configuration.addresses.isHTTPRequired, logger: logger)
  }

  private func makeServer(_ router: RPCRouter, _ health: HealthState) -> GRPCServer {
    GRPCServer(
      configuration: serverConfiguration(), router: router, interceptors: [CallLog(logger: logger)],
      errorMapper: ErrorMapping.rpcError, health: health, logger: logger)
  }

  private func serverConfiguration() -> GRPCServerConfiguration {
    var server = GRPCServerConfiguration()
    server.addresses = configuration.addresses.listen
    server.errorDomain = ErrorMapping.domain
    server.requests.maximumBytes = configuration.limits.requestBytes
    server.requests.hardMaximumBytes = 2 * configuration.limits.requestBytes
    server.connections.maximum = configuration.limits.connections
    // By default, one address gets three quarters of the connections, so that the rest stays free for other addresses.
    server.connections.maximumPerAddress =
      configuration.limits.connectionsPerAddress ?? max(1, configuration.limits.connections * 3 / 4)
    server.connections.budget.callsPerSecond = configuration.limits.callsPerSecond
    // The most calls that a connection may open at once: the number that the rate allows in 12.5 s, but at least the
    // standard 2,500. A burst of 2,000 photos at once is no attack and must fit.
    server.connections.budget.callsAtOnce = max(
      server.connections.budget.callsAtOnce, configuration.limits.callsPerSecond * 25 / 2)
    server.drainTimeout = .seconds(configuration.limits.drainTimeout)
    return server
  }
}
