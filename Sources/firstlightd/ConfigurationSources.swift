internal import Configuration
internal import SystemPackage

/// Where a command's settings come from: flags, then environment, then file.
struct ConfigurationSources {
  let reader: ConfigReader
  /// For cameras and sessions, which only the file can declare; nil without one.
  let file: ConfigurationFile?

  /// - Parameters:
  ///   - flags: those that were given, by key.
  ///   - config: the file's path, as the flag has it; nil: as the environment has it.
  init(flags: [AbsoluteConfigKey: ConfigValue], config: String?) async throws {
    let environment = EnvironmentVariablesProvider().prefixKeys(with: "firstlight")
    var providers: [any ConfigProvider] = [InMemoryProvider(name: "flags", values: flags), environment]
    var path = config
    if path == nil { path = try await ConfigReader(provider: environment).fetchString(forKey: "config") }
    if let path {
      // Read first: its errors name the file.
      file = try ConfigurationFile(contentsOf: path)
      providers.append(try await FileProvider<SettingsSnapshot>(filePath: FilePath(path)))
    } else {
      file = nil
    }
    reader = ConfigReader(providers: providers)
  }
}
