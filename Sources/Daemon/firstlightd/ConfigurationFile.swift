internal import Configuration
internal import Foundation
internal import Yams

/// The configuration file: settings at the top level, the names of cameras, and the sessions that the daemon runs by
/// itself.
struct ConfigurationFile {
  /// Every key that may stand at the top level of the file: those of ``DaemonConfiguration``, `devices` and `sessions`.
  static let keys: Set = [
    "listen", "http-listen", "http-hosts", "http-origins", "metrics-listen", "local-socket", "data-dir",
    "recordings-dir", "video-storage-dir", "video-storage-capacity", "library-quota", "network-library-permissions",
    "sysfs-root", "procfs-root", "synthetic", "synthetic-microphones", "synthetic-usb-megabits",
    "enable-fault-injection", "log-level", "max-request-bytes", "max-connections", "max-connections-per-address",
    "max-calls-per-second", "drain-timeout",
    "deferred-start-limit", "pressure-thresholds", "prewarm", "hardware-encoding", "devices", "sessions",
  ]
  /// The keys whose values are mappings.
  private static let structured: Set = ["devices", "sessions"]

  /// The keys whose values are not mappings, as YAML; empty when the file has none of these keys.
  private(set) var settings = ""
  /// The entries of `devices`.
  private(set) var devices = DeclaredDevices()
  /// The entries of `sessions`, in the order of the file; nil when the file says nothing of sessions.
  private(set) var sessions: [DeclaredSession]?

  /// Reads the file at `path`.
  ///
  /// - Throws: ``ConfigurationProblem`` for a file that does not exist, cannot be read or is not text in UTF-8, and for
  ///   the reasons of ``init(yaml:_:)``.
  init(contentsOf path: String) throws {
    let data: Data
    do { data = try Data(contentsOf: URL(filePath: path)) } catch let error as CocoaError {
      switch error.code {
      case .fileReadNoSuchFile, .fileNoSuchFile:
        throw ConfigurationProblem(
          description: "There is no configuration file \(path); correct its name, or leave it out.")
      case .fileReadNoPermission:
        throw ConfigurationProblem(
          description: "The configuration file \(path) may not be read by this user; let the user read it.")
      default: throw ConfigurationProblem(description: "\(path) cannot be read; name a file with a configuration.")
      }
    }
    guard let text = String(data: data, encoding: .utf8) else {
      throw ConfigurationProblem(description: "\(path) is not text in UTF-8; name a file with a configuration.")
    }
    try self.init(yaml: text, path)
  }

  /// Reads the content of a file.
  ///
  /// - Parameters:
  ///   - yaml: the content of the file. A file without any key sets nothing.
  ///   - path: the path of the file, which errors name.
  /// - Throws: ``ConfigurationProblem`` for a text that is not a YAML mapping, a key that is not in ``keys``, a
  ///   camera's entry that makes no sense, and a session's entry that cannot be a configuration.
  init(yaml: String, _ path: String) throws {
    let composed: Node?
    do { composed = try Yams.compose(yaml: yaml) } catch YamlError.duplicatedKeysInMapping(let keys, let context) {
      throw ConfigurationProblem(
        description:
          "\(path), line \(context.mark.line): the key \(keys.first ?? "?") stands here and again below; keep one.")
    } catch {
      throw ConfigurationProblem(description: "\(path) is not YAML: \(error)")
    }
    guard let root = composed, root.null == nil else { return }
    guard var mapping = root.mapping else {
      throw ConfigurationProblem(description: "\(path) is not a mapping; write one `key: value` in each line.")
    }
    for (key, value) in mapping {
      // The configuration library never sees keys that the daemon does not ask for. A misspelt key would therefore
      // leave its setting at the default, and the operator would not learn of it.
      guard let key = key.string, Self.keys.contains(key) else {
        throw ConfigurationProblem(
          description: "\(path) has a key \"\(key.string ?? "?")\", which means nothing; "
            + "there are \(Self.keys.sorted().joined(separator: ", ")).")
      }
      // Only `devices` and `sessions` may contain keys of their own, because the library would ignore those elsewhere.
      guard
        Self.structured.contains(key) || value.scalar != nil || value.sequence?.allSatisfy({ $0.scalar != nil }) == true
      else {
        throw ConfigurationProblem(description: "\(key) in \(path) must be a plain value or a list of such.")
      }
    }
    if let named = mapping["devices"], named.null == nil { devices = try DeclaredDevices(named, path) }
    if let declared = mapping["sessions"], declared.null == nil {
      guard let entries = declared.mapping else {
        throw ConfigurationProblem(
          description: "sessions in \(path) is not a mapping; write the id of each session, then its configuration.")
      }
      sessions = try entries.map { try DeclaredSession(id: $0.string ?? "?", $1) }
    }
    for key in Self.structured { mapping[Node(key)] = nil }
    if !mapping.isEmpty { settings = try Yams.serialize(node: .mapping(mapping)) }
  }
}

/// An error in the configuration, described by a sentence for the operator.
struct ConfigurationProblem: Error, CustomStringConvertible {
  var description: String
}

/// The settings of a configuration file that the daemon has read already, as a provider beside flags and environment.
/// The library's own providers read the file again by themselves, so that half of the settings could come from a file
/// that was changed between the two readings.
struct FileSettings: ConfigProvider {
  private let settings: YAMLSnapshot
  let providerName: String

  /// Takes the settings of a file.
  ///
  /// - Parameters:
  ///   - settings: the text of ``ConfigurationFile/settings``.
  ///   - path: the path of the file, which errors name.
  /// - Throws: the library's error for a text that it cannot parse.
  init(_ settings: String, _ path: String) throws {
    providerName = path
    self.settings = try YAMLSnapshot(
      data: Array((settings.isEmpty ? "{}" : settings).utf8).span.bytes, providerName: path, parsingOptions: .default)
  }

  func value(forKey key: AbsoluteConfigKey, type: ConfigType) throws -> LookupResult {
    try settings.value(forKey: key, type: type)
  }

  func fetchValue(forKey key: AbsoluteConfigKey, type: ConfigType) async throws -> LookupResult {
    try value(forKey: key, type: type)
  }

  nonisolated(nonsending) func watchValue<Return: ~Copyable>(
    forKey key: AbsoluteConfigKey, type: ConfigType,
    updatesHandler:
      nonisolated(nonsending) (ConfigUpdatesAsyncSequence<Result<LookupResult, any Error>, Never>)
      async throws -> Return
  ) async throws -> Return {
    try await watchValueFromValue(forKey: key, type: type, updatesHandler: updatesHandler)
  }

  func snapshot() -> any ConfigSnapshot { settings }

  nonisolated(nonsending) func watchSnapshot<Return: ~Copyable>(
    updatesHandler:
      nonisolated(nonsending) (ConfigUpdatesAsyncSequence<any ConfigSnapshot, Never>) async throws -> Return
  ) async throws -> Return {
    try await watchSnapshotFromSnapshot(updatesHandler: updatesHandler)
  }
}
