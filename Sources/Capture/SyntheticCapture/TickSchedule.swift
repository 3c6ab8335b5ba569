internal import CaptureCore

/// When each frame is exposed: multiples of the period from a fixed start, so that no error adds up. A value, no threads.
struct TickSchedule: Hashable, Sendable {
  /// Ticks that may be due at once before all but the newest are skipped: what a driver's queue of buffers holds.
  static let backlog: UInt64 = 4

  private let start: UInt64
  private let rate: Rational
  /// The sequence number of the tick that comes next.
  private(set) var next: UInt64 = 0

  /// - Parameter start: the instant of tick 0, nanoseconds of the monotonic clock.
  init(start: UInt64, rate: Rational) {
    self.start = start
    self.rate = rate
  }

  /// The instant of tick `number`.
  func instant(of number: UInt64) -> UInt64 {
    start + number * 1_000_000_000 * UInt64(rate.denominator) / UInt64(rate.numerator)
  }

  /// Consumes the tick to render at `now`: the next one, or the newest when too many are due.
  ///
  /// - Parameter now: not before the instant of ``next``.
  /// - Returns: the tick and how many were skipped before it.
  mutating func take(now: UInt64) -> (number: UInt64, skipped: UInt64) {
    var newest = max(
      next, (now - min(now, start)) * UInt64(rate.numerator) / (1_000_000_000 * UInt64(rate.denominator)))
    // The division rounds down twice on the way to an instant and back.
    if instant(of: newest + 1) <= now { newest += 1 }
    let number = newest - next < Self.backlog ? next : newest
    defer { next = number + 1 }
    return (number, number - next)
  }
}
