internal import CaptureCore
internal import CaptureSessions
internal import GRPCTransport
internal import ServiceLifecycle

/// Runs a loop that ends on cancellation until the daemon stops.
struct TaskService: Service {
  let body: @Sendable () async -> Void

  func run() async throws {
    await cancelWhenGracefulShutdown { await body() }
  }
}
