@testable import firstlightd

/// The session `door` of a configuration file with one session.
enum Door {
  /// The content of the file.
  ///
  /// - Parameters:
  ///   - entry: what the entry says beside its input.
  ///   - input: what the input says beside its device.
  static func file(_ entry: String = "preview: {}", input: String = "") -> String {
    """
    sessions:
      door:
        inputs:
          - device: devices/synthetic-0
            \(input.replacing("\n", with: "\n        "))
        \(entry.replacing("\n", with: "\n    "))

    """
  }

  /// The session that the file declares.
  static func session(_ entry: String = "preview: {}", input: String = "") throws -> DeclaredSession? {
    try ConfigurationFile(yaml: file(entry, input: input), fileName).sessions?.first
  }
}
