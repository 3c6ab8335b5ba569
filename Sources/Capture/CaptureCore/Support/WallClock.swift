internal import Synchronization

/// Converts monotonic time stamps into wall-clock times. Thread-safe; each source has one.
///
/// The clock measures the offset between the two clocks anew when the former sample is a second old. For a sample, it
/// reads the wall clock between two reads of the monotonic clock, three times, and uses the try whose two reads were
/// closest together, so that a preempted thread does not shift the times of a whole second of frames. The second is
/// counted on CLOCK_BOOTTIME, so that a sample from before a suspension of the machine is never used after it.
public final class WallClock: Sendable {
  private struct Sample {
    /// The nanoseconds to add to a monotonic time to get the wall-clock time.
    var offset: Int64
    /// When the sample was taken, in nanoseconds of CLOCK_BOOTTIME.
    var takenAt: UInt64
  }
  private let sample = Mutex<Sample?>(nil)

  /// Creates a clock that takes its first sample when it is first used.
  public init() {}

  /// Converts an instant of the monotonic clock.
  ///
  /// - Parameter monotonic: nanoseconds of CLOCK_MONOTONIC.
  /// - Returns: the same instant on the wall clock, in nanoseconds since the Unix epoch.
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
