internal import Configuration

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
      let file = try ConfigurationFile(contentsOf: path)
      providers.append(try FileSettings(file.settings, path))
      self.file = file
    } else {
      file = nil
    }
    reader = ConfigReader(providers: providers)
  }
}
