/// Calls a function at each tick of ``RetrySchedule``, while a session waits for its camera.
final class RetryTimer {
  private let clock: any Clock<Duration>
  private var ticking: Task<Void, Never>?

  /// Whether a function is called at each tick.
  var isRunning: Bool { ticking != nil }

  /// - Parameter clock: times the ticks.
  init(clock: any Clock<Duration>) { self.clock = clock }

  /// Calls `retry` at each tick until ``stop()``. Another function that was called until now is called no more.
  func start(_ retry: @escaping @Sendable () async -> Void) {
    stop()
    ticking = Task { [clock] in
      while (try? await clock.sleep(for: RetrySchedule.tick)) != nil { await retry() }
    }
  }

  func stop() {
    ticking?.cancel()
    ticking = nil
  }
}
