internal import Logging
internal import MetricsTransport
internal import SystemPressure

/// Everything an operator can set, with the defaults of a daemon that was told nothing.
struct DaemonConfiguration: Sendable {
  /// `host:port`, `[v6]:port` or `unix:/path`. Loopback unless asked: there is no authentication yet.
  var listen = ["127.0.0.1:50051"]
  /// Where metrics are served; nil for nowhere.
  var metricsListen: MetricsAddress?
  /// The Unix socket that programs on this machine get frames from without a copy; nil for none.
  var localSocket: String?
  /// Where files of ours may be kept.
  var dataDirectory = "/var/lib/firstlight"
  /// Roots of the pressure readers.
  var sysfsRoot = "/sys"
  var procfsRoot = "/proc"
  /// In place of the trips of thermal zones.
  var pressureThresholds = ThresholdOverrides()
  /// Synthetic cameras. Nil: one if no real camera is there, else none.
  var syntheticCameras: Int?
  var faultInjectionEnabled = false
  var logLevel = Logger.Level.info
  /// The largest request taken.
  var maximumRequestBytes = 4 << 20
  var maximumConnections = 2048
  /// Of one address; nil for three quarters of all.
  var maximumConnectionsPerAddress: Int?
  /// That one connection may open for long.
  var maximumCallsPerSecond = 200
  /// Whether cameras are opened and asked while the daemon boots, so that the first start need not.
  var prewarm = true
  /// Whether video is encoded by the machine's own encoder where there is one.
  var usesHardwareEncoders = false
  /// What cameras are called.
  var devices = DeclaredDevices()
  /// Sessions that are started with the daemon.
  var sessions: [DeclaredSession] = []
  /// Seconds after a camera's first frame in which automatic deferred start waits for readers.
  var deferredStartLimit = 1.0
  /// Seconds that calls get to end after SIGTERM.
  var drainTimeout = 3.0
}
