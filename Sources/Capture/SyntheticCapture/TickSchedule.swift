internal import CaptureCore

/// The instants at which the frames are exposed: multiples of the period after a fixed start, so that no errors add up.
/// A value without threads.
struct TickSchedule: Hashable, Sendable {
  /// The number of ticks that may be due at the same time. When more are due, all but the newest are skipped. The
  /// number is that of the buffers in a driver's queue.
  static let backlog: UInt64 = 4

  private let start: UInt64
  private let rate: Rational
  /// The sequence number of the next tick.
  private(set) var next: UInt64 = 0

  /// - Parameters:
  ///   - start: the instant of tick 0, in nanoseconds of the monotonic clock.
  ///   - rate: ticks per second.
  init(start: UInt64, rate: Rational) {
    self.start = start
    self.rate = rate
  }

  /// The instant of tick `number`, in nanoseconds of the monotonic clock.
  func instant(of number: UInt64) -> UInt64 {
    start + number * 1_000_000_000 * UInt64(rate.denominator) / UInt64(rate.numerator)
  }

  /// Consumes the tick whose frame the camera renders at `now`: the next tick, or the newest one when too many are due.
  ///
  /// - Parameter now: nanoseconds of the monotonic clock, not before the instant of ``next``.
  /// - Returns: the number of the tick, and how many ticks were skipped before it.
  mutating func take(now: UInt64) -> (number: UInt64, skipped: UInt64) {
    var newest = max(
      next, (now - min(now, start)) * UInt64(rate.numerator) / (1_000_000_000 * UInt64(rate.denominator)))
    // A tick is rounded down to an instant, and an instant down to a tick, so that `newest` can be one too small.
    if instant(of: newest + 1) <= now { newest += 1 }
    let number = newest - next < Self.backlog ? next : newest
    defer { next = number + 1 }
    return (number, number - next)
  }
}
