internal import CaptureCore
internal import SystemClocks

/// Decides when an interrupted session tries to open its camera again. A value that hears of each ``tick`` and of
/// events of the camera. It applies to one camera and one request to it.
///
/// Whatever the interruption, the session checks at every tick whether the camera is present, so it notices at once
/// when a camera is plugged in again. Only a camera that is present and brings no frames is left alone for a while,
/// longer each time, because each start costs the bus and the driver seconds.
struct RetrySchedule: Hashable, Sendable {
  /// The time between two checks, well below the time that a camera needs to start after it was plugged in again.
  static let tick = Duration.milliseconds(500)
  /// Ticks before each further start of a stalled camera: 0, 1, 2, 4, 8, 16, 30 seconds. The last pause repeats
  /// forever.
  static let pauses = [0, 2, 4, 8, 16, 32, 60]
  /// Ticks between two looks for a signal: 2 seconds.
  static let signalPause = 4
  /// Nanoseconds that a camera must deliver frames before its stalls no longer count.
  static let healthy: UInt64 = 10_000_000_000
  /// How many times the patience for frames doubles at most, for a camera that stalls again and again.
  private static let doublings = 4

  /// The number of starts because of stalls since the camera last delivered for ``healthy``.
  private var starts = 0
  /// The number of ticks before the next start.
  private var ticksLeft = 0
  private var deliversSince: MonotonicInstant?

  /// Notes that a running camera stalled.
  mutating func stalled(at now: MonotonicInstant) {
    if let since = deliversSince, now >= since + Self.healthy { starts = 0 }
    deliversSince = nil
    ticksLeft = pause
  }

  /// Notes that the session's interruption changed from `former` to `reason`, either of which is nil for no
  /// interruption.
  ///
  /// Any interruption other than a stall resets the schedule: a camera that was unplugged and plugged in again, or
  /// slept, starts with a clean record.
  mutating func interruptionChanged(from former: InterruptionReason?, to reason: InterruptionReason?) {
    let others = [former, reason].compactMap { $0 }.filter { $0 != .deviceStalled }
    if former != reason, !others.isEmpty { self = RetrySchedule() }
  }

  /// Whether the session should now start a camera that is present. Call this once for each tick, and once when the
  /// waiting begins, because it counts the ticks.
  mutating func isDue(for reason: InterruptionReason?) -> Bool {
    guard reason == .deviceStalled else { return true }
    guard ticksLeft == 0 else {
      ticksLeft -= 1
      return false
    }
    starts += 1
    ticksLeft = pause
    return true
  }

  /// Notes that the camera has no signal. It is not started then, so looking again costs little, and a signal comes
  /// when somebody switches the source on.
  mutating func foundNoSignal() { (starts, ticksLeft) = (0, Self.signalPause) }

  /// Notes that a stalled camera brings frames again.
  mutating func delivers(at now: MonotonicInstant) { deliversSince = now }

  /// How long the next stream may bring no frame before it counts as stalled. The time doubles with each further start,
  /// within limits. A camera that is slower than it claims gets enough time in the end, and runs.
  var patience: StallPatience {
    let usual = StallPatience()
    // The exponent is bounded before the shift, because a shift by more than 63 gives 0.
    let factor: UInt64 = 1 << min(max(starts, 1) - 1, Self.doublings)
    return StallPatience(
      betweenFrames: usual.betweenFrames * factor, firstFrame: min(usual.firstFrame * factor, 4 * usual.firstFrame))
  }

  private var pause: Int { Self.pauses[min(starts, Self.pauses.count - 1)] }
}

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

extension InterruptionReason {
  /// Whether the machine keeps the camera from running. The machine reports when the rest is over, so no retries are
  /// needed.
  var isRest: Bool { self == .systemPressure || self == .systemSuspend }

  /// Returns the interruption that an error causes; nil for an error that waiting does not heal.
  init?(_ error: CaptureError) {
    switch error.reason {
    // A camera that comes back cannot be opened for a moment, until udev gives its device node to the right group.
    case .deviceDisconnected, .deviceNotFound, .deviceAccessDenied: self = .deviceDisconnected
    case .deviceInUse: self = .deviceInUse
    case .systemPressure: self = .systemPressure
    case .deviceNotResponding, .noSignal: self = .deviceStalled
    case .systemSuspend: self = .systemSuspend
    default: return nil
    }
  }

  /// Returns the interruption that an error causes when a camera that ran before is started again; nil for an error
  /// that waiting does not heal.
  ///
  /// A driver that fails during such a start, or a bus without bandwidth at the moment, may well work again later,
  /// because the camera was just plugged in, reset or woken. A grabber whose source has changed may get the former one
  /// again, or a format that the configuration leaves open. The session goes on trying with growing pauses, as it does
  /// with a camera that brings no frames.
  init?(ofRetry error: CaptureError) {
    switch error.reason {
    case .deviceFailed, .bandwidthExceeded, .formatNotSupported: self = .deviceStalled
    default: self.init(error)
    }
  }
}
