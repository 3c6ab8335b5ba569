internal import CaptureCore
internal import CaptureSessions
internal import GRPCTransport
internal import Logging
internal import ServiceLifecycle

/// Says where the daemon listens, once it does.
struct ReadinessService: Service {
  let server: GRPCServer
  let sessions: SessionRegistry
  let logger: Logger

  func run() async throws {
    let addresses = try await server.boundAddresses
    await sessions.setDaemonTimes(
      processStart: ProcessStart.monotonicNanoseconds(), serverReady: SystemClock.monotonicNanoseconds())
    for address in addresses {
      // On standard output and at once: scripts wait for this line.
      StandardOutput.writeLine("firstlightd: listening on \(address)")
      Self.warnIfOpen(address, logger)
    }
    try? await gracefulShutdown()
  }

  static func warnIfOpen(_ address: String, _ logger: Logger) {
    guard !isLocal(address) else { return }
    logger.warning(
      "open to the network without encryption or authentication", metadata: ["server.address": "\(address)"])
  }

  private static func isLocal(_ address: String) -> Bool {
    address.hasPrefix("unix:") || address.hasPrefix("127.") || address.hasPrefix("localhost:")
      || address.hasPrefix("[::1]:")
  }
}
