internal import Glibc

/// The processor time of a thread.
public enum ThreadTime {
  /// The nanoseconds that the calling thread has run (CLOCK_THREAD_CPUTIME_ID), which its work would take alone on an
  /// idle core.
  public static func nanoseconds() -> UInt64 { readClock(CLOCK_THREAD_CPUTIME_ID) }
}
