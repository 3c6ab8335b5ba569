internal import Glibc

/// An instant of CLOCK_MONOTONIC, by which V4L2 stamps its buffers. This clock never steps, and stands still while the
/// machine is suspended.
public struct MonotonicInstant: ClockInstant {
  /// Nanoseconds since the machine booted, without the time that it was suspended.
  public var nanoseconds: UInt64

  /// Creates the instant `nanoseconds` after the clock's epoch.
  @inlinable
  public init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

  /// The present instant.
  public static func now() -> MonotonicInstant { MonotonicInstant(nanoseconds: readClock(CLOCK_MONOTONIC)) }
}
