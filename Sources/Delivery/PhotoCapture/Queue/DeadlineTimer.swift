internal import CaptureCore
internal import SystemClocks

/// Ends what has a deadline once the deadline is over: the wait for a camera that brings no frames and does not say so,
/// and tracking.
struct DeadlineTimer: Sendable {
  let clock: any Clock<Duration>
  /// The id of the output, which errors name.
  let outputID: String

  /// Runs a watcher while something has a deadline and no later watcher wakes sooner.
  func run(_ watcher: UInt64, _ queue: PhotoQueue) {
    Task { [weak queue, clock] in
      while let rest = queue.flatMap({ Self.rest(of: watcher, $0) }) {
        // Nothing cancels this task.
        try? await clock.sleep(for: rest)
        guard let queue else { return }
        let now = queue.now()
        queue.update { $0.endLate(at: now) { noFrame(for: $0, of: $1) } }
      }
    }
  }

  private static func rest(of watcher: UInt64, _ queue: PhotoQueue) -> Duration? {
    queue.read { $0.nextWake(of: watcher) }.map { .nanoseconds(Int64($0.nanoseconds(since: queue.now()))) }
  }

  /// Makes the error of a capture whose deadline is over.
  ///
  /// - Parameter silent: in a capture of several cameras, the input whose camera brought no frame; nil when unknown.
  private func noFrame(for request: PhotoRequest, of silent: String?) -> CaptureError {
    var error = CaptureError(
      .operationInterrupted, "The camera brought no frame for the capture; take it again when it does.",
      metadata: ["output": outputID])
    if request.constituents.isEmpty { return error }
    error.message =
      silent.map { "\($0) brought no intact frame for the capture; take it again when it does." }
      ?? "The cameras brought no frames of the same time; take the capture again."
    error.metadata["input"] = silent
    return error
  }
}

/// Which watcher wakes for the next deadline. A watcher is a task that sleeps until a deadline. A value.
struct DeadlineWatch: Hashable, Sendable {
  private var current: UInt64?
  /// When `current` wakes; nil while there is no watcher.
  private var wakesAt: MonotonicInstant?
  private var last: UInt64 = 0

  /// Returns a watcher to be started if none wakes in time for `deadline`. It takes the place of the current one, which
  /// finds that out when it wakes.
  mutating func begin(before deadline: MonotonicInstant?) -> UInt64? {
    guard let deadline, wakesAt.map({ deadline < $0 }) ?? true else { return nil }
    last += 1
    (current, wakesAt) = (last, deadline)
    return last
  }

  /// Returns until when `watcher` sleeps, given the next deadline; nil when the watcher ends.
  mutating func next(of watcher: UInt64, _ deadline: MonotonicInstant?) -> MonotonicInstant? {
    guard watcher == current else { return nil }
    guard let deadline else {
      (current, wakesAt) = (nil, nil)
      return nil
    }
    wakesAt = deadline
    return deadline
  }
}
