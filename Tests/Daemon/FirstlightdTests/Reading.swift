import ArgumentParser
import Foundation

@testable import firstlightd

/// The path by which the tests call a configuration file whose content they give as text. No such file is read.
let fileName = "firstlight.yaml"

/// What the daemon tells an operator when `body` throws; nil when it does not throw.
func refusal(_ body: () async throws -> Void) async -> String? {
  do { try await body() } catch { return "\(error)" }
  return nil
}

/// What the daemon tells an operator when `body` throws; nil when it does not throw.
func refusal(_ body: () throws -> Void) -> String? {
  do { try body() } catch { return "\(error)" }
  return nil
}

/// What the daemon tells an operator of a configuration file with this content; nil when it takes the file.
func refusal(of yaml: String) -> String? {
  refusal { _ = try ConfigurationFile(yaml: yaml, fileName) }
}

/// The settings of a daemon that is started with these flags, these environment variables and a file with this content.
///
/// - Throws: what the daemon tells the operator when it does not start.
func settings(
  _ flags: [String] = [], variables: [String: String] = [:], file: String? = nil
) async throws -> DaemonConfiguration {
  var command = flags.isEmpty ? try withoutFlags.get() : try ServeCommand.parse(flags)
  guard let file else { return try await command.settings(variables: variables) }
  return try await withFile(Data(file.utf8)) { path in
    command.config = path
    return try await command.settings(variables: variables)
  }
}

/// A command without flags, which the tests share because a debug build takes long to parse any.
private let withoutFlags = Result { try ServeCommand.parse([]) }

/// Calls `body` with the path of a file with this content, which is deleted afterwards.
func withFile<Result>(_ content: Data, _ body: (String) async throws -> Result) async throws -> Result {
  try await withFolder { folder in
    let path = folder + "/firstlight.yaml"
    try content.write(to: URL(filePath: path))
    return try await body(path)
  }
}

/// Calls `body` with the path of an empty folder, which is deleted afterwards.
func withFolder<Result>(_ body: (String) async throws -> Result) async throws -> Result {
  let folder = FileManager.default.temporaryDirectory.appending(path: "firstlightd-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
  defer { try? FileManager.default.removeItem(at: folder) }
  return try await body(folder.path)
}
