internal import CaptureCore
internal import SystemClocks

/// Ends by itself what has a deadline: the wait for a camera that brings no frames and does not say so, and tracking.
struct DeadlineTimer: Sendable {
  let clock: any Clock<Duration>
  /// Of the output, for errors.
  let outputID: String

  /// Runs a watcher while something has a deadline and no later watcher wakes sooner.
  func run(_ watcher: UInt64, _ queue: PhotoQueue) {
    Task { [weak queue, clock, outputID] in
      while let rest = queue.flatMap({ Self.rest(of: watcher, $0) }) {
        // Nothing cancels this task.
        try? await clock.sleep(for: rest)
        guard let queue else { return }
        let now = queue.now()
        queue.update { $0.endLate(at: now, Self.noFrame(outputID)) }
      }
    }
  }

  private static func rest(of watcher: UInt64, _ queue: PhotoQueue) -> Duration? {
    queue.read { $0.nextWake(of: watcher) }.map { .nanoseconds(Int64($0.nanoseconds(since: queue.now()))) }
  }

  private static func noFrame(_ outputID: String) -> CaptureError {
    CaptureError(
      .operationInterrupted, "The camera brought no frame for the capture; take it again when it does.",
      metadata: ["output": outputID])
  }
}
