/// Finds keys of a configuration file that mean nothing: a reader of keys never sees those it does not ask for, and a
/// misspelt one would silently leave its default.
enum ConfigurationFile {
  /// Every key of ``DaemonConfiguration``.
  static let keys: Set = [
    "listen", "data-dir", "sysfs-root", "procfs-root", "synthetic", "enable-fault-injection", "log-level",
    "max-request-bytes", "max-connections", "drain-timeout", "pressure-thresholds",
  ]

  /// - Parameters:
  ///   - yaml: a file that has been parsed; its keys are all at the top level, so each begins a line.
  ///   - path: named in the error.
  /// - Throws: ``ConfigurationProblem`` for a key not in ``keys``.
  static func checkKeys(of yaml: String, _ path: String) throws {
    for line in yaml.split(whereSeparator: \.isNewline) {
      guard let colon = line.firstIndex(of: ":"), let first = line.first, !" \t#-".contains(first) else { continue }
      let key = line[..<colon].filter { !"\"' ".contains($0) }
      guard keys.contains(key) else {
        throw ConfigurationProblem(
          description:
            "\(path) has a key \"\(key)\", which means nothing; there are \(keys.sorted().joined(separator: ", ")).")
      }
    }
  }
}
