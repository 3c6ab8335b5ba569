internal import CaptureCore
internal import CaptureSessions
internal import GRPCTransport
internal import Logging
internal import RPCCore
internal import ServiceLifecycle

/// Runs a loop that ends on cancellation until the daemon stops.
struct TaskService: Service {
  let body: @Sendable () async -> Void

  func run() async throws {
    await cancelWhenGracefulShutdown { await body() }
  }
}

/// Says where the daemon listens once it listens.
struct ReadinessService: Service {
  let server: GRPCServer
  let sessions: SessionRegistry
  let logger: Logger

  func run() async throws {
    let addresses = try await server.boundAddresses
    await sessions.setDaemonTimes(
      processStart: ProcessStart.monotonicNanoseconds(), serverReady: SystemClock.monotonicNanoseconds())
    for address in addresses {
      // This line goes to standard output and is not buffered, because scripts wait for it.
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

/// Ends sessions and watches when the daemon stops. Health changes first, so that no load balancer sends new clients
/// here.
struct SessionsService: Service {
  let sessions: SessionRegistry
  let devices: DeviceRegistry
  let health: HealthState

  func run() async throws {
    try? await gracefulShutdown()
    health.shutDown()
    let error = CaptureError(.shuttingDown, "The daemon is shutting down; connect again later.")
    devices.events.end(error)
    await sessions.shutDown(error)
  }
}
