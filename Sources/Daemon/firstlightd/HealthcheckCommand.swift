internal import ArgumentParser
internal import GRPCTransport

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
