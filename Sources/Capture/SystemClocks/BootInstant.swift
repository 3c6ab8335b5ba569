internal import Glibc

/// An instant of CLOCK_BOOTTIME, which is like CLOCK_MONOTONIC but goes on while the machine is suspended.
public struct BootInstant: ClockInstant {
  /// Nanoseconds since the machine booted.
  public var nanoseconds: UInt64

  /// Creates the instant `nanoseconds` after the machine booted.
  @inlinable
  public init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

  /// The present instant.
  public static func now() -> BootInstant { BootInstant(nanoseconds: readClock(CLOCK_BOOTTIME)) }
}
