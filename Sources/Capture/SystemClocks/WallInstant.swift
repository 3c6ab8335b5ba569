internal import Glibc

/// An instant of the wall clock, CLOCK_REALTIME. This clock steps when it is set.
public struct WallInstant: ClockInstant {
  /// Nanoseconds since the Unix epoch.
  public var nanoseconds: UInt64

  /// Creates the instant `nanoseconds` after the Unix epoch.
  @inlinable
  public init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

  /// The present instant.
  public static func now() -> WallInstant { WallInstant(nanoseconds: readClock(CLOCK_REALTIME)) }
}
