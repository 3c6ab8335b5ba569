internal import CaptureCore
internal import SystemClocks

/// The instants at which the frames are exposed: multiples of the period after a fixed start, so that no errors add up,
/// in whole microseconds, as V4L2 has them. A value without threads.
struct TickSchedule: Hashable, Sendable {
  /// The number of ticks that may be due at the same time. When more are due, all but the newest are skipped. The
  /// number is that of the buffers in a driver's queue.
  static let backlog: UInt64 = 4

  private let start: MonotonicInstant
  private let rate: Rational
  /// The sequence number of the next tick.
  private(set) var next: UInt64 = 0

  /// - Parameters:
  ///   - start: the instant of tick 0.
  ///   - rate: ticks per second.
  init(start: MonotonicInstant, rate: Rational) {
    self.start = start
    self.rate = rate
  }

  /// The instant of tick `number`.
  func instant(of number: UInt64) -> MonotonicInstant {
    start + number * 1_000_000 * UInt64(rate.denominator) / UInt64(rate.numerator) * 1000
  }

  /// Consumes the tick whose frame the camera renders at `now`: the next tick, or the newest one when too many are due.
  ///
  /// - Parameter now: not before the instant of ``next``.
  /// - Returns: the number of the tick, and how many ticks were skipped before it.
  mutating func take(now: MonotonicInstant) -> (number: UInt64, skipped: UInt64) {
    var newest = max(
      next,
      now.nanoseconds(since: start) * UInt64(rate.numerator) / (1_000_000_000 * UInt64(rate.denominator)))
    // A tick is rounded down to an instant, and an instant down to a tick, so that `newest` can be one too small.
    if instant(of: newest + 1) <= now { newest += 1 }
    let number = newest - next < Self.backlog ? next : newest
    defer { next = number + 1 }
    return (number, number - next)
  }
}
