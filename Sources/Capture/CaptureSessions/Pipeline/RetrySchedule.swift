internal import CaptureCore

/// When an interrupted session tries its camera again. A value: it is told of each tick of ``tick`` and of what happened. It
/// holds for one camera and one request to it.
///
/// Whatever a session waits for, it looks at every tick whether the camera is there, so that one that is unplugged and
/// plugged in again is noticed at once. Only a camera that is there and does not deliver is left alone for a while, longer
/// each time: starting it again costs the bus and the driver seconds.
struct RetrySchedule: Hashable, Sendable {
  /// Well below what a re-plugged camera needs to start.
  static let tick = Duration.milliseconds(500)
  /// Ticks before each further start of a stalled camera; the last for ever: 0, 1, 2, 4, 8, 16, 30 seconds.
  static let pauses = [0, 2, 4, 8, 16, 32, 60]
  /// Nanoseconds that a camera must deliver until its stalls count as over.
  static let healthy: UInt64 = 10_000_000_000
  /// How often the time that a camera is waited for doubles when it stalls again and again.
  private static let doublings = 4

  /// Starts because of stalls, since the camera was last healthy.
  private var starts = 0
  /// Ticks to come before the next one.
  private var ticksLeft = 0
  private var deliversSince: UInt64?

  /// A running camera stalled.
  ///
  /// - Parameter now: CLOCK_MONOTONIC.
  mutating func stalled(at now: UInt64) {
    if let since = deliversSince, now >= since + Self.healthy { starts = 0 }
    deliversSince = nil
    ticksLeft = pause
  }

  /// The session is interrupted for `reason` now, and was for `former` before; nil when it is not, or was not.
  ///
  /// Whatever else happened to a camera ended its stalls: one that was unplugged and plugged in again, or slept, begins anew.
  mutating func interruptionChanged(from former: InterruptionReason?, to reason: InterruptionReason?) {
    let others = [former, reason].compactMap { $0 }.filter { $0 != .deviceStalled }
    if former != reason, !others.isEmpty { self = RetrySchedule() }
  }

  /// Whether a camera that is there is to be started now. Once for each tick, and once at the beginning of waiting.
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

  /// A stalled camera delivers again.
  ///
  /// - Parameter now: CLOCK_MONOTONIC.
  mutating func delivers(at now: UInt64) { deliversSince = now }

  /// How long the next stream may bring nothing. Twice as long with each further start: a camera that is slower than it says
  /// is found out by that, and runs in the end.
  var patience: StallPatience {
    let usual = StallPatience()
    // Bounded before the shift, which gives 0 beyond 63.
    let factor: UInt64 = 1 << min(max(starts, 1) - 1, Self.doublings)
    return StallPatience(
      betweenFrames: usual.betweenFrames * factor, firstFrame: min(usual.firstFrame * factor, 4 * usual.firstFrame))
  }

  private var pause: Int { Self.pauses[min(starts, Self.pauses.count - 1)] }
}
