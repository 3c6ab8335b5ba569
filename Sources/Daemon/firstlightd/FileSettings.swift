internal import Configuration
internal import Foundation
internal import Yams

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
