internal import ArgumentParser
internal import Configuration
internal import Logging

struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "Serve the cameras of this machine by gRPC.",
    discussion: """
      Every flag is also a key of the configuration file (data-dir: …) and an environment variable \
      (FIRSTLIGHT_DATA_DIR). A flag wins over a variable, a variable over the file.
      """)

  @Option(help: "Address to listen on, host:port or unix:/path; may be repeated. (default: 127.0.0.1:50051)")
  var listen: [String] = []
  @Option(help: "Address where Prometheus gets metrics by HTTP, host:port. (default: none)")
  var metricsListen: String?
  @Option(help: "Unix socket where this user's programs get frames in shared memory. (default: none)")
  var localSocket: String?
  @Option(help: "Where the daemon keeps its files. (default: /var/lib/firstlight)")
  var dataDir: String?
  @Option(help: "Root of the heat and load readers. (default: /sys)")
  var sysfsRoot: String?
  @Option(help: "Root of the readers of waiting tasks. (default: /proc)")
  var procfsRoot: String?
  @Option(
    help: "°C from which a zone is fair, serious, critical, shutdown: cpu-thermal=70/80/90/100; may be repeated.")
  var pressureThresholds: [String] = []
  @Option(help: "Number of synthetic cameras. (default: 1 if there is no real one, else 0)")
  var synthetic: Int?
  @Option(help: "Configuration file, YAML.")
  var config: String?
  @Flag(help: "Let operators inject faults into synthetic cameras.")
  var enableFaultInjection = false
  @Option(help: "The largest request taken, in bytes. (default: 4194304)")
  var maxRequestBytes: Int?
  @Option(help: "The most connections at once. (default: 2048)")
  var maxConnections: Int?
  @Option(help: "The most connections at once from one address. (default: three quarters of all)")
  var maxConnectionsPerAddress: Int?
  @Option(help: "The most calls a second that a connection may open for long; 0 is unlimited. (default: 200)")
  var maxCallsPerSecond: Int?
  @Option(help: "How long calls may go on after a request to stop, in seconds. (default: 3)")
  var drainTimeout: Double?
  @Option(
    help: "How long after a camera's first frame deferred outputs wait for readers of others, in seconds. (default: 1)")
  var deferredStartLimit: Double?
  @Flag(inversion: .prefixedNo, help: "Open and ask the cameras before serving. (default: --prewarm)")
  var prewarm: Bool?
  @Option(help: "trace, debug, info, notice, warning, error or critical. (default: info)")
  var logLevel: String?

  func run() async throws {
    var configuration: DaemonConfiguration
    do {
      let sources = try await ConfigurationSources(flags: flags(), config: config)
      configuration = try await DaemonConfiguration(config: sources.reader)
      if let file = sources.file { (configuration.devices, configuration.sessions) = (file.devices, file.sessions) }
    } catch {
      throw ValidationError("\(error)")
    }
    LoggingSystem.bootstrap(StreamLogHandler.standardError)
    var logger = Logger(label: "firstlightd")
    logger.logLevel = configuration.logLevel
    try await Daemon(configuration: configuration, logger: logger).run()
  }

  private func flags() -> [AbsoluteConfigKey: ConfigValue] {
    var values: [AbsoluteConfigKey: ConfigValue] = [:]
    func set(_ key: String, _ content: ConfigContent?) {
      if let content { values[AbsoluteConfigKey([key])] = ConfigValue(content, isSecret: false) }
    }
    set("listen", listen.isEmpty ? nil : .stringArray(listen))
    set("metrics-listen", metricsListen.map { .string($0) })
    set("local-socket", localSocket.map { .string($0) })
    set("data-dir", dataDir.map { .string($0) })
    set("sysfs-root", sysfsRoot.map { .string($0) })
    set("procfs-root", procfsRoot.map { .string($0) })
    set("pressure-thresholds", pressureThresholds.isEmpty ? nil : .stringArray(pressureThresholds))
    set("synthetic", synthetic.map { .int($0) })
    set("enable-fault-injection", enableFaultInjection ? .bool(true) : nil)
    set("prewarm", prewarm.map { .bool($0) })
    set("log-level", logLevel.map { .string($0) })
    set("max-request-bytes", maxRequestBytes.map { .int($0) })
    set("max-connections", maxConnections.map { .int($0) })
    set("max-connections-per-address", maxConnectionsPerAddress.map { .int($0) })
    set("max-calls-per-second", maxCallsPerSecond.map { .int($0) })
    set("deferred-start-limit", deferredStartLimit.map { .double($0) })
    set("drain-timeout", drainTimeout.map { .double($0) })
    return values
  }
}
