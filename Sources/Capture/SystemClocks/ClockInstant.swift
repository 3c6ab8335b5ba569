internal import Glibc

/// A reading of one of the machine's clocks. Each clock has a type of its own, so that the compiler refuses to compare
/// readings of two clocks, or to take a span of time for a reading. Spans are plain numbers of nanoseconds.
public protocol ClockInstant: Hashable, Comparable, Sendable {
  /// Nanoseconds since the clock's epoch.
  var nanoseconds: UInt64 { get }

  /// The instant `nanoseconds` after the clock's epoch.
  init(nanoseconds: UInt64)
}

extension ClockInstant {
  /// The clock's epoch, before which there is no instant.
  @inlinable
  public static var epoch: Self { Self(nanoseconds: 0) }

  /// The last instant that the type can express, about 584 years after the epoch.
  @inlinable
  public static var distantFuture: Self { Self(nanoseconds: .max) }

  /// Whether `a` is earlier than `b`.
  @inlinable
  public static func < (a: Self, b: Self) -> Bool { a.nanoseconds < b.nanoseconds }

  /// The instant this many nanoseconds later.
  @inlinable
  public static func + (instant: Self, nanoseconds: UInt64) -> Self {
    Self(nanoseconds: instant.nanoseconds + nanoseconds)
  }

  /// The instant this many nanoseconds earlier; the clock's epoch when that is nearer.
  @inlinable
  public static func - (instant: Self, nanoseconds: UInt64) -> Self {
    Self(nanoseconds: instant.nanoseconds - min(instant.nanoseconds, nanoseconds))
  }

  /// The nanoseconds from `earlier` to this instant; 0 when `earlier` is not earlier.
  @inlinable
  public func nanoseconds(since earlier: Self) -> UInt64 { nanoseconds - min(nanoseconds, earlier.nanoseconds) }

  /// The nanoseconds from `other` to this instant; negative when `other` is later.
  @inlinable
  public func signedNanoseconds(since other: Self) -> Int64 { Int64(bitPattern: nanoseconds &- other.nanoseconds) }
}

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

/// The processor time of a thread.
public enum ThreadTime {
  /// The nanoseconds that the calling thread has run (CLOCK_THREAD_CPUTIME_ID), which its work would take alone on an
  /// idle core.
  public static func nanoseconds() -> UInt64 { readClock(CLOCK_THREAD_CPUTIME_ID) }
}

/// Reads a clock of the machine, in nanoseconds.
func readClock(_ clock: clockid_t) -> UInt64 {
  var time = timespec()
  clock_gettime(clock, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
