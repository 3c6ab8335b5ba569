import Logging
import RPCCore
import SystemPressure
import Testing

@testable import firstlightd

/// One key of the configuration with a value that is not its default.
struct Setting: CustomTestStringConvertible, Sendable {
  let key: String
  /// The value, or several of a key that takes several.
  let values: [String]
  /// The flags that set the value; empty for a key without a flag.
  let flags: [String]
  /// What the configuration should say then.
  let expected: String
  /// What a configuration says of the key.
  let read: @Sendable (DaemonConfiguration) -> String

  init(
    _ key: String, _ values: String..., flags: [String]? = nil, expected: String? = nil,
    read: @escaping @Sendable (DaemonConfiguration) -> Any?
  ) {
    self.key = key
    self.values = values
    self.flags = flags ?? values.map { "--\(key)=\($0)" }
    self.read = { read($0).map { "\($0)" } ?? "none" }
    self.expected = expected ?? values.joined(separator: ",")
  }

  var testDescription: String { key }

  /// The environment variables that set the value.
  var variables: [String: String] {
    ["FIRSTLIGHT_" + key.uppercased().replacing("-", with: "_"): values.joined(separator: ",")]
  }

  /// The content of a configuration file that sets the value.
  var file: String { values.count == 1 ? "\(key): \(values[0])\n" : "\(key): [\(values.joined(separator: ", "))]\n" }

  /// Every key that is a setting, each in the order of the table of ``DaemonConfiguration``.
  static let all: [Setting] = [
    .init("listen", "127.0.0.1:1", "unix:/run/firstlight") { $0.addresses.listen.joined(separator: ",") },
    .init("http-listen", "127.0.0.1:3") { $0.addresses.http },
    .init("http-hosts", "door.example", "yard.example") { $0.addresses.httpHosts.joined(separator: ",") },
    .init("http-origins", "https://a.example", "http://10.0.0.7:3000") {
      $0.addresses.httpOrigins.joined(separator: ",")
    },
    .init("metrics-listen", "127.0.0.1:5") { $0.addresses.metrics },
    .init("local-socket", "/run/local") { $0.addresses.localSocket },
    .init("data-dir", "/data") { $0.folders.data },
    .init("recordings-dir", "/recordings") { $0.folders.recordings },
    .init("video-storage-dir", "/storage") { $0.folders.videoStorage },
    .init("video-storage-capacity", "7") { $0.videoStorageCapacity },
    .init("library-quota", "8") { $0.library.quota },
    .init("network-library-permissions", "library.add", "library.read") {
      $0.library.networkPermissions.map(\.name).sorted().joined(separator: ",")
    },
    .init("sysfs-root", "/other/sys") { $0.folders.sysfs },
    .init("procfs-root", "/other/proc") { $0.folders.procfs },
    .init("pressure-thresholds", "cpu=70/80", "gpu=60/70/80", expected: "both") {
      $0.pressureThresholds == thresholds ? "both" : "others"
    },
    .init("synthetic", "11") { $0.synthetic.cameras },
    .init("synthetic-microphones", "12") { $0.synthetic.microphones },
    .init("synthetic-usb-megabits", "480") { $0.synthetic.usbMegabits },
    .init("enable-fault-injection", "true", flags: ["--enable-fault-injection"]) { $0.faultInjectionEnabled },
    .init("log-level", "warning") { $0.logLevel },
    .init("max-request-bytes", "65537") { $0.limits.requestBytes },
    .init("max-connections", "14") { $0.limits.connections },
    .init("max-connections-per-address", "15") { $0.limits.connectionsPerAddress },
    .init("max-calls-per-second", "16") { $0.limits.callsPerSecond },
    .init("drain-timeout", "1.5") { $0.limits.drainTimeout },
    .init("deferred-start-limit", "2.5") { $0.deferredStartLimit },
    .init("prewarm", "false", flags: ["--no-prewarm"]) { $0.prewarm },
    .init("hardware-encoding", "true", flags: []) { $0.usesHardwareEncoders },
  ]

  private static let thresholds = {
    var thresholds = ThresholdOverrides()
    _ = thresholds.add("cpu=70/80")
    _ = thresholds.add("gpu=60/70/80")
    return thresholds
  }()
}
