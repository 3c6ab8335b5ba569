internal import CaptureCore
internal import CaptureSessions
internal import Glibc
internal import Logging
internal import MovieRecording
internal import PhotoLibrary
internal import RPCCore
internal import ServiceLifecycle

/// Ends the sessions, their recordings and the watchers of devices when the daemon stops. The health changes first, so
/// that no new clients are sent to this daemon.
struct SessionsService: Service {
  let sessions: SessionRegistry
  let recordings: Recordings
  let library: PhotoLibrary
  let devices: DeviceRegistry
  let health: HealthState
  let logger: Logger
  /// How long calls may go on once the sessions have ended.
  let drainTimeout: Duration

  /// How long the daemon waits for the files of recordings. A disk that works takes much less.
  private static let patience = Duration.seconds(5)

  func run() async throws {
    try? await gracefulShutdown()
    // A server that cannot listen cancels this task. Recordings end as they should all the same, in another task.
    await Task { await end() }.value
  }

  private func end() async {
    health.shutDown()
    let error = CaptureError(.shuttingDown, "The daemon is shutting down; connect again later.")
    devices.events.end(error)
    library.events.end(error)
    await sessions.shutDown(error)
    // The end of the sessions ends their recordings. Clients learn of complete files before their streams end.
    guard let incomplete = await recordings.close(within: Self.patience) else { return }
    logger.error(
      "The disk does not answer, so the daemon ends without these recordings. They play up to the last whole fragment.",
      metadata: ["recording.incomplete": .array(incomplete.map { .string($0) })])
    exitSoon()
  }

  /// Ends the process when the servers have had time to end. A call that waits for the disk would keep them for ever.
  private func exitSoon() {
    Task.detached { [limit = drainTimeout + Self.patience] in
      try? await Task.sleep(for: limit)
      // Without the handlers of `exit`, which could wait for threads.
      _exit(EXIT_FAILURE)
    }
  }
}
