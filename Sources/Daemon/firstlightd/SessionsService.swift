internal import CaptureCore
internal import CaptureSessions
internal import GRPCTransport
internal import ServiceLifecycle

/// Ends sessions and watches when the daemon stops: health first, so that nobody new is sent here.
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
