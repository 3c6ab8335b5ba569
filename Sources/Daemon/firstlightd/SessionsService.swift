internal import CaptureCore
internal import CaptureSessions
internal import MovieRecording
internal import RPCCore
internal import ServiceLifecycle

/// Ends the sessions, their recordings and the watchers of devices when the daemon stops. The health changes first, so
/// that no new clients are sent to this daemon.
struct SessionsService: Service {
  let sessions: SessionRegistry
  let recordings: Recordings
  let devices: DeviceRegistry
  let health: HealthState

  func run() async throws {
    try? await gracefulShutdown()
    health.shutDown()
    let error = CaptureError(.shuttingDown, "The daemon is shutting down; connect again later.")
    devices.events.end(error)
    await sessions.shutDown(error)
    // The end of the sessions ends their recordings. Clients learn of complete files before their streams end.
    await recordings.close()
  }
}
