internal import Configuration
internal import Foundation
internal import Yams

/// The settings of a configuration file that has been read, beside flags and environment. Those of the library read files by
/// themselves, and one that was changed between two readings would count half.
struct FileSettings: ConfigProvider {
  private let settings: YAMLSnapshot
  let providerName: String

  /// - Parameters:
  ///   - settings: ``ConfigurationFile/settings``.
  ///   - path: of the file, for errors.
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
