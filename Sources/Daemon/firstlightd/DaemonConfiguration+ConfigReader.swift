internal import Configuration
internal import FirstlightServices
internal import HTTPTransport
internal import Logging
internal import RPCCore
internal import SystemPressure
internal import VideoStorage

extension DaemonConfiguration {
  /// Reads the keys below; a key that is not set keeps its default. Each key is also an environment variable
  /// (`FIRSTLIGHT_DATA_DIR`) and, except for `hardware-encoding`, a flag (`--data-dir`).
  ///
  /// | key | type | default | range |
  /// |---|---|---|---|
  /// | `listen` | strings | `127.0.0.1:50051` | `host:port`, `[v6]:port`, `unix:/path` |
  /// | `http-listen` | string | 127.0.0.1:8080, if that is free | `host:port`, `[v6]:port`, `none` |
  /// | `http-hosts` | strings | none | host names |
  /// | `http-origins` | strings | none | `https://host`, `http://host:port` |
  /// | `metrics-listen` | string | none | `host:port`, `[v6]:port` |
  /// | `local-socket` | string | none | path |
  /// | `data-dir` | string | `/var/lib/firstlight` | |
  /// | `recordings-dir` | string | `recordings` in `data-dir` | |
  /// | `video-storage-dir` | string | `video-storage` in `data-dir` | |
  /// | `video-storage-capacity` | int | as set last | 0…1099511627776 |
  /// | `library-quota` | int | none | 1…1125899906842624 |
  /// | `network-library-permissions` | strings | none | `library.add`, `library.read`, `library.write` |
  /// | `sysfs-root` | string | `/sys` | |
  /// | `procfs-root` | string | `/proc` | |
  /// | `pressure-thresholds` | strings | none | `zone=fair/serious[/critical[/shutdown]]`, °C |
  /// | `synthetic` | int | 1 without a real camera, else 0 | 0…16 |
  /// | `synthetic-microphones` | int | 0 | 0…16 |
  /// | `synthetic-usb-megabits` | int | none | 1…20000 |
  /// | `enable-fault-injection` | bool | false | |
  /// | `log-level` | string | `info` | `trace`…`critical` |
  /// | `max-request-bytes` | int | 4194304 | 65536…67108864 |
  /// | `max-connections` | int | 2048 | 1…65536 |
  /// | `max-connections-per-address` | int | ¾ of `max-connections` | 1…65536 |
  /// | `max-calls-per-second` | int | 200 | 0…100000 |
  /// | `drain-timeout` | double, seconds | 3 | 0…60 |
  /// | `deferred-start-limit` | double, seconds | 1 | 0…60 |
  /// | `prewarm` | bool | true | |
  /// | `hardware-encoding` | bool | false | |
  ///
  /// - Throws: ``ConfigurationProblem`` for a value of the wrong type or out of range.
  init(config: ConfigReader) async throws {
    self.init()
    addresses.listen = try await config.fetchStringArray(forKey: "listen") ?? addresses.listen
    if let text = try await config.fetchString(forKey: "http-listen") {
      addresses.http = HTTPAddress(text)
      addresses.isHTTPRequired = true
      guard addresses.http != nil || text == "none" else {
        throw ConfigurationProblem(
          description: "http-listen is \"\(text)\"; it must be an address and a port, such as 127.0.0.1:8080, or none.")
      }
    }
    addresses.httpHosts = try await config.fetchStringArray(forKey: "http-hosts") ?? addresses.httpHosts
    for host in addresses.httpHosts where host.isEmpty || host.contains(where: { ":/ ".contains($0) }) {
      throw ConfigurationProblem(
        description: "http-hosts has \"\(host)\"; it must be a host name without a port, such as camera.example.")
    }
    addresses.httpOrigins = try await config.fetchStringArray(forKey: "http-origins") ?? addresses.httpOrigins
    for origin in addresses.httpOrigins where !Self.isOrigin(origin) {
      throw ConfigurationProblem(
        description:
          "http-origins has \"\(origin)\"; it must be an origin as a browser sends it, such as https://photos.example "
          + "or http://10.0.0.7:3000, without a path.")
    }
    if let text = try await config.fetchString(forKey: "metrics-listen") {
      guard let address = HTTPAddress(text) else {
        throw ConfigurationProblem(
          description: "metrics-listen is \"\(text)\"; it must be an address and a port, such as 127.0.0.1:9464.")
      }
      addresses.metrics = address
    }
    addresses.localSocket = try await config.fetchString(forKey: "local-socket") ?? addresses.localSocket
    folders.data = try await config.fetchString(forKey: "data-dir") ?? folders.data
    folders.recordings = try await config.fetchString(forKey: "recordings-dir") ?? folders.recordings
    folders.videoStorage = try await config.fetchString(forKey: "video-storage-dir") ?? folders.videoStorage
    videoStorageCapacity = try Self.check(
      try await config.fetchInt(forKey: "video-storage-capacity").map { Int64($0) }, 0...VideoStorage.maximumCapacity,
      "video-storage-capacity")
    library = try await Library(config: config)
    folders.sysfs = try await config.fetchString(forKey: "sysfs-root") ?? folders.sysfs
    folders.procfs = try await config.fetchString(forKey: "procfs-root") ?? folders.procfs
    for entry in try await config.fetchStringArray(forKey: "pressure-thresholds") ?? []
    where !pressureThresholds.add(entry) {
      throw ConfigurationProblem(
        description: """
          pressure-thresholds has "\(entry)"; it must be a zone, chip or camera and two to four growing temperatures \
          in °C, such as cpu-thermal=70/80/90/100 for fair, serious, critical and shutdown.
          """)
    }
    synthetic.microphones =
      try Self.check(try await config.fetchInt(forKey: "synthetic-microphones"), 0...16, "synthetic-microphones")
      ?? synthetic.microphones
    synthetic.usbMegabits = try Self.check(
      try await config.fetchInt(forKey: "synthetic-usb-megabits"), 1...20_000, "synthetic-usb-megabits")
    synthetic.cameras = try Self.check(try await config.fetchInt(forKey: "synthetic"), 0...16, "synthetic")
    faultInjectionEnabled = try await config.fetchBool(forKey: "enable-fault-injection") ?? faultInjectionEnabled
    if let level = try await config.fetchString(forKey: "log-level") {
      guard let known = Logger.Level(rawValue: level) else {
        throw ConfigurationProblem(
          description: "log-level is \"\(level)\"; it must be one of \(Logger.Level.allCases.map(\.rawValue)).")
      }
      logLevel = known
    }
    limits.requestBytes =
      try Self.check(try await config.fetchInt(forKey: "max-request-bytes"), 65536...(64 << 20), "max-request-bytes")
      ?? limits.requestBytes
    limits.connections =
      try Self.check(try await config.fetchInt(forKey: "max-connections"), 1...65536, "max-connections")
      ?? limits.connections
    limits.connectionsPerAddress = try Self.check(
      try await config.fetchInt(forKey: "max-connections-per-address"), 1...65536, "max-connections-per-address")
    limits.callsPerSecond =
      try Self.check(try await config.fetchInt(forKey: "max-calls-per-second"), 0...100_000, "max-calls-per-second")
      ?? limits.callsPerSecond
    limits.drainTimeout =
      try Self.check(try await config.fetchDouble(forKey: "drain-timeout"), 0...60, "drain-timeout")
      ?? limits.drainTimeout
    deferredStartLimit =
      try Self.check(try await config.fetchDouble(forKey: "deferred-start-limit"), 0...60, "deferred-start-limit")
      ?? deferredStartLimit
    prewarm = try await config.fetchBool(forKey: "prewarm") ?? prewarm
    usesHardwareEncoders = try await config.fetchBool(forKey: "hardware-encoding") ?? usesHardwareEncoders
    if addresses.listen.isEmpty { throw ConfigurationProblem(description: "listen names no address.") }
  }

  /// Whether a text has the form `scheme://host` or `scheme://host:port`.
  private static func isOrigin(_ text: String) -> Bool {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    return parts.count == 3 && ["http:", "https:"].contains(parts[0]) && parts[1].isEmpty && !parts[2].isEmpty
  }

  fileprivate static func check<T: Comparable>(_ value: T?, _ range: ClosedRange<T>, _ key: String) throws -> T? {
    guard let value else { return nil }
    guard range.contains(value) else {
      throw ConfigurationProblem(
        description: "\(key) is \(value); it must be from \(range.lowerBound) to \(range.upperBound).")
    }
    return value
  }
}

extension DaemonConfiguration.Library {
  /// Reads the keys of the photo library.
  ///
  /// - Throws: ``ConfigurationProblem`` for a value of the wrong type or out of range.
  fileprivate init(config: ConfigReader) async throws {
    self.init()
    quota = try DaemonConfiguration.check(
      try await config.fetchInt(forKey: "library-quota"), 1...(1 << 50), "library-quota"
    ).map { UInt64($0) }
    let known = StandardAccess.libraryPermissions
    for name in try await config.fetchStringArray(forKey: "network-library-permissions") ?? [] {
      let permission = Permission(name)
      guard known.contains(permission) else {
        throw ConfigurationProblem(
          description: "network-library-permissions has \"\(name)\"; it must be one of "
            + "\(known.map(\.name).joined(separator: ", ")).")
      }
      networkPermissions.insert(permission)
    }
  }
}
