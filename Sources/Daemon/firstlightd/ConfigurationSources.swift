internal import Configuration
internal import Foundation

/// The sources of a command's settings. A flag goes before an environment variable, and a variable before the file.
struct ConfigurationSources {
  let reader: ConfigReader
  /// The configuration file, because only the file can declare cameras and sessions; nil without a file.
  let file: ConfigurationFile?
  /// The path of that file.
  let path: String?

  /// Reads the sources.
  ///
  /// - Parameters:
  ///   - flags: the flags that the operator gave, by key.
  ///   - config: the path of the file from the flag `--config`; nil takes the path from the environment.
  ///   - variables: the environment variables, those of the process by default.
  /// - Throws: ``ConfigurationProblem`` for a file that cannot be used, or the library's error for settings that it
  ///   cannot read.
  init(
    flags: [AbsoluteConfigKey: ConfigValue], config: String?,
    variables: [String: String] = ProcessInfo.processInfo.environment
  ) async throws {
    let environment = EnvironmentVariablesProvider(environmentVariables: variables).prefixKeys(with: "firstlight")
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
    self.path = path
    reader = ConfigReader(providers: providers)
  }
}
