internal import CaptureCore
internal import Synchronization
internal import SystemClocks

/// What ends by itself: waiting for a camera that brings no frame and says nothing of it, and tracking.
extension PhotoOutput {
  /// Until when a capture waits for its frames.
  var frameDeadline: MonotonicInstant { now() + (context?.framePatienceNanoseconds ?? 0) }

  /// Runs while anything has a deadline, and no later watcher wakes sooner.
  func watchDeadlines(_ watcher: UInt64) {
    Task { [weak self, clock] in
      while let rest = self?.timeToDeadline(watcher) {
        // Nobody cancels it.
        try? await clock.sleep(for: rest)
        self?.endWhatIsLate()
      }
    }
  }

  private func timeToDeadline(_ watcher: UInt64) -> Duration? {
    state.withLock { state in
      guard let deadline = state.deadlineWatch.next(of: watcher, state.nextDeadline) else { return nil }
      return .nanoseconds(Int64(deadline.nanoseconds(since: now())))
    }
  }

  private func endWhatIsLate() {
    let late = update { state in
      let now = now()
      state.tracked.removeExpired(at: now)
      return state.queue.removeLate(at: now)
    }
    for job in late {
      let error = CaptureError(
        .operationInterrupted, "The camera brought no frame for the capture; take it again when it does.",
        metadata: ["output": id])
      fail(job, error)
    }
  }
}
