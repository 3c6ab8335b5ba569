internal import ArgumentParser
internal import GRPCTransport

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

struct HealthcheckCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "healthcheck", abstract: "Exit 0 when the daemon at an address is serving, else 1.")

  @Option(help: "Address of the daemon, host:port or unix:/path.")
  var address = "127.0.0.1:50051"
  @Option(help: "Seconds to wait for an answer.")
  var timeout = 3.0

  func run() async throws {
    switch await HealthProbe.check(address, timeout: .seconds(timeout)) {
    case .serving: print("serving")
    case .notServing(let why):
      print("not serving: \(why)")
      throw ExitCode.failure
    }
  }
}

struct VersionCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "version", abstract: "Print the version.")

  func run() { print("firstlightd \(Firstlightd.version)") }
}
