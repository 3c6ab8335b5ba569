internal import Synchronization

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
