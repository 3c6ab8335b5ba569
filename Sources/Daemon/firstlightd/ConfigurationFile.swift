internal import Configuration
internal import Foundation
internal import Yams

/// The configuration file: settings at the top level, what cameras are called, and the sessions the daemon runs by itself.
struct ConfigurationFile {
  /// Every key of ``DaemonConfiguration``.
  static let keys: Set = [
    "listen", "metrics-listen", "local-socket", "data-dir", "sysfs-root", "procfs-root", "synthetic",
    "enable-fault-injection", "log-level", "max-request-bytes", "max-connections", "max-connections-per-address",
    "max-calls-per-second", "drain-timeout",
    "deferred-start-limit", "pressure-thresholds", "prewarm", "hardware-encoding", "devices", "sessions",
  ]
  /// Those whose values are mappings.
  private static let structured: Set = ["devices", "sessions"]

  /// Every key but those with mappings, as YAML; empty when there is none.
  private(set) var settings = ""
  /// The entries of `devices`.
  private(set) var devices = DeclaredDevices()
  /// Each entry of `sessions`, in the order of the file.
  private(set) var sessions: [DeclaredSession] = []

  /// Reads the file at `path`.
  ///
  /// - Throws: ``ConfigurationProblem`` also for a file that is not there, cannot be read or is no text.
  init(contentsOf path: String) throws {
    let data: Data
    do { data = try Data(contentsOf: URL(filePath: path)) } catch let error as CocoaError {
      switch error.code {
      case .fileReadNoSuchFile, .fileNoSuchFile:
        throw ConfigurationProblem(
          description: "There is no configuration file \(path); correct its name, or leave it out.")
      case .fileReadNoPermission:
        throw ConfigurationProblem(
          description: "The configuration file \(path) may not be read by this user; give it the right to.")
      default: throw ConfigurationProblem(description: "\(path) cannot be read; name a file with a configuration.")
      }
    }
    guard let text = String(data: data, encoding: .utf8) else {
      throw ConfigurationProblem(description: "\(path) is no text in UTF-8; name a file with a configuration.")
    }
    try self.init(yaml: text, path)
  }

  /// - Parameters:
  ///   - yaml: the file; a file without any key sets nothing.
  ///   - path: named in errors.
  /// - Throws: ``ConfigurationProblem`` for what is no YAML mapping, a key not in ``keys``, a camera's entry that makes no
  ///   sense, and a session that could never run.
  init(yaml: String, _ path: String) throws {
    let composed: Node?
    do { composed = try Yams.compose(yaml: yaml) } catch YamlError.duplicatedKeysInMapping(let keys, let context) {
      throw ConfigurationProblem(
        description:
          "\(path), line \(context.mark.line): the key \(keys.first ?? "?") stands here and again below; keep one.")
    } catch {
      throw ConfigurationProblem(description: "\(path) is no YAML: \(error)")
    }
    guard let root = composed, root.null == nil else { return }
    guard var mapping = root.mapping else {
      throw ConfigurationProblem(description: "\(path) is no mapping; write one `key: value` in each line.")
    }
    for (key, value) in mapping {
      // A reader of keys never sees those it does not ask for, and a misspelt one would silently leave its default.
      guard let key = key.string, Self.keys.contains(key) else {
        throw ConfigurationProblem(
          description: "\(path) has a key \"\(key.string ?? "?")\", which means nothing; "
            + "there are \(Self.keys.sorted().joined(separator: ", ")).")
      }
      // Nor those that lie deeper than it looks.
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
          description: "sessions in \(path) is no mapping; write the id of each session, then its configuration.")
      }
      sessions = try entries.map { try DeclaredSession(id: $0.string ?? "?", $1) }
    }
    for key in Self.structured { mapping[Node(key)] = nil }
    if !mapping.isEmpty { settings = try Yams.serialize(node: .mapping(mapping)) }
  }
}
