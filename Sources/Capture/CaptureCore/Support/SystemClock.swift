#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// The clocks of the machine, read in nanoseconds.
public enum SystemClock {
  /// CLOCK_MONOTONIC, by which V4L2 stamps its buffers. This clock never steps.
  public static func monotonicNanoseconds() -> UInt64 { read(CLOCK_MONOTONIC) }

  /// CLOCK_BOOTTIME, which is like CLOCK_MONOTONIC but goes on while the machine is suspended.
  public static func bootNanoseconds() -> UInt64 { read(CLOCK_BOOTTIME) }

  /// CLOCK_REALTIME, in nanoseconds since the Unix epoch. This clock may step.
  public static func wallNanoseconds() -> UInt64 { read(CLOCK_REALTIME) }

  /// The processor time of the calling thread (CLOCK_THREAD_CPUTIME_ID), which is the time that the work would take
  /// alone on an idle core.
  public static func threadNanoseconds() -> UInt64 { read(CLOCK_THREAD_CPUTIME_ID) }

  private static func read(_ clock: clockid_t) -> UInt64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
