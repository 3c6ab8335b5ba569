#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif
internal import Synchronization

/// The clocks of the machine, read in nanoseconds.
public enum SystemClock {
  /// CLOCK_MONOTONIC: the clock of V4L2 buffers. Never steps.
  public static func monotonicNanoseconds() -> UInt64 { read(CLOCK_MONOTONIC) }

  /// CLOCK_BOOTTIME: as CLOCK_MONOTONIC, and goes on while the machine is suspended.
  public static func bootNanoseconds() -> UInt64 { read(CLOCK_BOOTTIME) }

  /// CLOCK_REALTIME, since the Unix epoch. May step.
  public static func wallNanoseconds() -> UInt64 { read(CLOCK_REALTIME) }

  /// Processor time of the calling thread: what it would take alone on an idle core.
  public static func threadNanoseconds() -> UInt64 { read(CLOCK_THREAD_CPUTIME_ID) }

  private static func read(_ clock: clockid_t) -> UInt64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}

/// Turns monotonic stamps into wall-clock ones. Thread-safe; one per source.
///
/// The offset is sampled again every second: the wall clock is read between two reads of the monotonic one and the
/// narrowest of three brackets wins, so that a preempted thread does not shift a whole second of frames. That second is
/// one of CLOCK_BOOTTIME, so that a sample from before the machine was suspended is never taken after it.
public final class WallClock: Sendable {
  private struct Sample {
    var offset: Int64
    /// CLOCK_BOOTTIME.
    var takenAt: UInt64
  }
  private let sample = Mutex<Sample?>(nil)

  public init() {}

  /// The wall-clock instant, nanoseconds since the Unix epoch, of a monotonic one.
  public func wallNanoseconds(atMonotonic monotonic: UInt64) -> UInt64 {
    let offset = sample.withLock { current in
      let now = SystemClock.bootNanoseconds()
      if let current, now - current.takenAt < 1_000_000_000 { return current.offset }
      let fresh = Self.measure()
      current = fresh
      return fresh.offset
    }
    return UInt64(Int64(monotonic) + offset)
  }

  private static func measure() -> Sample {
    var best: (width: UInt64, sample: Sample)?
    for _ in 0..<3 {
      let before = SystemClock.monotonicNanoseconds()
      let wall = SystemClock.wallNanoseconds()
      let after = SystemClock.monotonicNanoseconds()
      let middle = before + (after - before) / 2
      let found = Sample(offset: Int64(wall) - Int64(middle), takenAt: SystemClock.bootNanoseconds())
      if best == nil || after - before < best!.width { best = (after - before, found) }
    }
    return best!.sample
  }
}

/// Makes the ids that tell one STREAMON from the next.
public enum StreamID {
  private static let last = Atomic<UInt64>(0)

  /// Microseconds since the Unix epoch, forced to grow: unique across restarts of the daemon too, and small enough
  /// (< 2^53) for clients whose numbers are doubles.
  public static func next() -> UInt64 {
    let now = SystemClock.wallNanoseconds() / 1000
    while true {
      let previous = last.load(ordering: .relaxed)
      let next = max(previous + 1, now)
      if last.compareExchange(expected: previous, desired: next, ordering: .relaxed).exchanged { return next }
    }
  }
}
