internal import CaptureSessions
internal import ServiceLifecycle

/// Runs `body` until the daemon stops, and then cancels it. `body` must end when it is cancelled.
struct TaskService: Service {
  let body: @Sendable () async -> Void

  func run() async throws {
    await cancelWhenGracefulShutdown { await body() }
  }
}
