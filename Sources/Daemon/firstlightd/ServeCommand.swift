internal import ArgumentParser
internal import Configuration
internal import Foundation
internal import Logging

struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "Serve the cameras of this machine.",
    discussion: """
      Every flag is also a key of the configuration file (data-dir: …) and an environment variable \
      (FIRSTLIGHT_DATA_DIR). A flag wins over a variable, a variable over the file.
      """)

  @OptionGroup(title: "Addresses") var addresses: AddressOptions
  @OptionGroup(title: "Folders") var folders: FolderOptions
  @OptionGroup(title: "Photo library") var library: LibraryOptions
  @OptionGroup(title: "Limits") var limits: LimitOptions
  @Option(
    help: "°C from which a zone is fair, serious, critical, shutdown: cpu-thermal=70/80/90/100; may be repeated.")
  var pressureThresholds: [String] = []
  @Option(help: "Number of synthetic cameras. (default: 1 if there is no real one, else 0)")
  var synthetic: Int?
  @Option(help: "Megabits per second of one USB bus on which all synthetic cameras are. (default: no USB)")
  var syntheticUsbMegabits: Int?
  @Option(help: "Number of synthetic microphones. (default: 0)")
  var syntheticMicrophones: Int?
  @Option(help: "Configuration file, YAML.")
  var config: String?
  @Flag(help: "Let operators inject faults into synthetic devices.")
  var enableFaultInjection = false
  @Option(help: "How long calls may go on after a request to stop, in seconds. (default: 3)")
  var drainTimeout: Double?
  @Option(
    help: "How long after a camera's first frame deferred outputs wait for readers of others, in seconds. (default: 1)")
  var deferredStartLimit: Double?
  @Flag(inversion: .prefixedNo, help: "Open and query the cameras before serving. (default: --prewarm)")
  var prewarm: Bool?
  @Option(help: "trace, debug, info, notice, warning, error or critical. (default: info)")
  var logLevel: String?

  func run() async throws {
    let configuration: DaemonConfiguration
    do { configuration = try await settings() } catch { throw ValidationError("\(error)") }
    LoggingSystem.bootstrap(StreamLogHandler.standardError)
    var logger = Logger(label: "firstlightd")
    logger.logLevel = configuration.logLevel
    try await Daemon(configuration: configuration, logger: logger).run()
  }

  /// Reads the settings from the flags, the environment and the configuration file.
  ///
  /// - Parameter variables: the environment variables, those of the process by default.
  /// - Throws: the errors of ``ConfigurationSources`` and of ``DaemonConfiguration``.
  func settings(
    variables: [String: String] = ProcessInfo.processInfo.environment
  ) async throws -> DaemonConfiguration {
    let sources = try await ConfigurationSources(flags: flags(), config: config, variables: variables)
    var configuration = try await DaemonConfiguration(config: sources.reader)
    configuration.declared.file = sources.path.map { URL(filePath: $0).standardizedFileURL.path }
    if let file = sources.file {
      (configuration.declared.devices, configuration.declared.sessions) = (file.devices, file.sessions)
    }
    return configuration
  }

  private func flags() -> [AbsoluteConfigKey: ConfigValue] {
    var values: [AbsoluteConfigKey: ConfigValue] = [:]
    func set(_ key: String, _ content: ConfigContent?) {
      if let content { values[AbsoluteConfigKey([key])] = ConfigValue(content, isSecret: false) }
    }
    set("listen", addresses.listen.isEmpty ? nil : .stringArray(addresses.listen))
    set("http-listen", addresses.httpListen.map { .string($0) })
    set("http-hosts", addresses.httpHosts.isEmpty ? nil : .stringArray(addresses.httpHosts))
    set("http-origins", addresses.httpOrigins.isEmpty ? nil : .stringArray(addresses.httpOrigins))
    set("metrics-listen", addresses.metricsListen.map { .string($0) })
    set("local-socket", addresses.localSocket.map { .string($0) })
    set("data-dir", folders.dataDir.map { .string($0) })
    set("recordings-dir", folders.recordingsDir.map { .string($0) })
    set("video-storage-dir", folders.videoStorageDir.map { .string($0) })
    set("video-storage-capacity", folders.videoStorageCapacity.map { .int($0) })
    set("library-quota", library.libraryQuota.map { .int($0) })
    set(
      "network-library-permissions",
      library.networkLibraryPermissions.isEmpty ? nil : .stringArray(library.networkLibraryPermissions))
    set("sysfs-root", folders.sysfsRoot.map { .string($0) })
    set("procfs-root", folders.procfsRoot.map { .string($0) })
    set("pressure-thresholds", pressureThresholds.isEmpty ? nil : .stringArray(pressureThresholds))
    set("synthetic", synthetic.map { .int($0) })
    set("synthetic-usb-megabits", syntheticUsbMegabits.map { .int($0) })
    set("synthetic-microphones", syntheticMicrophones.map { .int($0) })
    set("enable-fault-injection", enableFaultInjection ? .bool(true) : nil)
    set("prewarm", prewarm.map { .bool($0) })
    set("log-level", logLevel.map { .string($0) })
    set("max-request-bytes", limits.maxRequestBytes.map { .int($0) })
    set("max-connections", limits.maxConnections.map { .int($0) })
    set("max-connections-per-address", limits.maxConnectionsPerAddress.map { .int($0) })
    set("max-calls-per-second", limits.maxCallsPerSecond.map { .int($0) })
    set("deferred-start-limit", deferredStartLimit.map { .double($0) })
    set("drain-timeout", drainTimeout.map { .double($0) })
    return values
  }
}
