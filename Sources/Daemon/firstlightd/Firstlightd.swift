internal import ArgumentParser

@main
struct Firstlightd: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "firstlightd",
    abstract: "A camera daemon: remote V4L2 cameras with the responsiveness of a phone's.",
    version: version,
    subcommands: [ServeCommand.self, DevicesCommand.self, HealthcheckCommand.self, VersionCommand.self],
    defaultSubcommand: ServeCommand.self)

  /// The version of the daemon, which clients get as `ServerInfo.version`.
  static let version = "0.1.0"
}
