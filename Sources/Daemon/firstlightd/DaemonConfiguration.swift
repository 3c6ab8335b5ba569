internal import Configuration
internal import Foundation
internal import HTTPTransport
internal import Logging
internal import RPCCore
internal import SystemPressure

/// Everything that an operator can set, with the defaults of a daemon without any settings.
struct DaemonConfiguration: Sendable {
  /// Where clients reach the daemon.
  struct Addresses: Sendable {
    /// The addresses on which the daemon serves gRPC: `host:port`, `[v6]:port` or `unix:/path`. The default is
    /// loopback, because there is no authentication yet.
    var listen = ["127.0.0.1:50051"]
    /// The address at which the daemon serves the viewfinder page, pictures, RPCs, health and metrics by HTTP; nil for
    /// none.
    var http = HTTPAddress("127.0.0.1:8080")
    /// Whether the operator chose ``http``, so that the daemon does not run when it cannot listen there.
    var isHTTPRequired = false
    /// The names by which HTTP clients may call the daemon, beside localhost and addresses.
    var httpHosts: [String] = []
    /// The origins whose pages may call the daemon, beside its own.
    var httpOrigins: [String] = []
    /// The address at which the daemon serves metrics; nil for none.
    var metrics: HTTPAddress?
    /// The path of the Unix socket from which programs on this machine get frames without a copy; nil for none.
    var localSocket: String?
  }

  /// The folders that the daemon uses.
  struct Folders: Sendable {
    /// The folder in which the daemon may keep its files.
    var data = "/var/lib/firstlight"
    /// The folder of recordings; nil for `recordings` in ``data``.
    var recordings: String?
    /// The folder of the video storage; nil for `video-storage` in ``data``.
    var videoStorage: String?
    /// The root of the readers of heat and load.
    var sysfs = "/sys"
    /// The root of the readers of processes and of waiting tasks.
    var procfs = "/proc"
  }

  /// The photo library.
  struct Library: Sendable {
    /// The most bytes of all its files; nil for no limit but the disk.
    var quota: UInt64?
    /// Clients on other machines have these permissions, which are among ``StandardAccess/libraryPermissions``.
    var networkPermissions: Set<Permission> = []
  }

  /// How much of the daemon clients may use.
  struct Limits: Sendable {
    /// The largest request that the daemon takes, in bytes.
    var requestBytes = 4 << 20
    /// The most connections at once.
    var connections = 2048
    /// The most connections at once from one address; nil for three quarters of all connections.
    var connectionsPerAddress: Int?
    /// The most calls a second that one connection may open over time, after 2,500 at once; 0 is unlimited.
    var callsPerSecond = 200
    /// How many seconds calls get to end after SIGTERM.
    var drainTimeout = 3.0
  }

  /// The devices that the daemon makes of software.
  struct Synthetic: Sendable {
    /// The number of cameras. Nil makes one if there is no real camera, and none otherwise.
    var cameras: Int?
    /// The signalling rate of the USB bus that all cameras imitate to be on. Nil for cameras without USB.
    var usbMegabits: Int?
    /// The number of microphones.
    var microphones = 0
  }

  /// What only a configuration file can say.
  struct Declared: Sendable {
    /// The absolute path of the file; nil for none.
    var file: String?
    /// The operator's names for cameras.
    var devices = DeclaredDevices()
    /// The sessions that the daemon creates by itself; nil for ``DefaultSession`` alone.
    var sessions: [DeclaredSession]?
  }

  var addresses = Addresses()
  var folders = Folders()
  var library = Library()
  var limits = Limits()
  var synthetic = Synthetic()
  var declared = Declared()
  /// The thresholds that replace the trips of thermal zones, the limits of sensors and the defaults for cameras.
  var pressureThresholds = ThresholdOverrides()
  var faultInjectionEnabled = false
  var logLevel = Logger.Level.info
  /// Whether the daemon opens and queries the cameras while it boots, so that the first start need not query them.
  var prewarm = true
  /// Whether the machine's own encoder encodes video where the machine has one.
  var usesHardwareEncoders = false
  /// The bytes of the video storage; nil leaves them as an operator set them last.
  var videoStorageCapacity: Int64?
  /// How many seconds after a camera's first frame automatic deferred start waits for readers.
  var deferredStartLimit = 1.0
}

/// The sources of a command's settings. A flag goes before an environment variable, and a variable before the file.
struct ConfigurationSources {
  let reader: ConfigReader
  /// The configuration file, because only the file can declare cameras and sessions; nil without a file.
  let file: ConfigurationFile?
  /// The path of that file.
  let path: String?

  /// Reads the sources.
  ///
  /// - Parameters:
  ///   - flags: the flags that the operator gave, by key.
  ///   - config: the path of the file from the flag `--config`; nil takes the path from the environment.
  ///   - variables: the environment variables, those of the process by default.
  /// - Throws: ``ConfigurationProblem`` for a file that cannot be used, or the library's error for settings that it
  ///   cannot read.
  init(
    flags: [AbsoluteConfigKey: ConfigValue], config: String?,
    variables: [String: String] = ProcessInfo.processInfo.environment
  ) async throws {
    let environment = EnvironmentVariablesProvider(environmentVariables: variables).prefixKeys(with: "firstlight")
    var providers: [any ConfigProvider] = [InMemoryProvider(name: "flags", values: flags), environment]
    var path = config
    if path == nil { path = try await ConfigReader(provider: environment).fetchString(forKey: "config") }
    if let path {
      let file = try ConfigurationFile(contentsOf: path)
      providers.append(try FileSettings(file.settings, path))
      self.file = file
    } else {
      file = nil
    }
    self.path = path
    reader = ConfigReader(providers: providers)
  }
}
