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
    var takenAt: BootInstant
  }
  private let sample = Mutex<Sample?>(nil)

  /// Creates a clock that takes its first sample when it is first used.
  public init() {}

  /// The same instant on the wall clock.
  public func wallInstant(at monotonic: MonotonicInstant) -> WallInstant {
    let offset = sample.withLock { current in
      let now = BootInstant.now()
      if let current, now.nanoseconds(since: current.takenAt) < 1_000_000_000 { return current.offset }
      let fresh = Self.measure()
      current = fresh
      return fresh.offset
    }
    return WallInstant(nanoseconds: UInt64(Int64(monotonic.nanoseconds) + offset))
  }

  private static func measure() -> Sample {
    var best: (width: UInt64, sample: Sample)?
    for _ in 0..<3 {
      let before = MonotonicInstant.now()
      let wall = WallInstant.now()
      let width = MonotonicInstant.now().nanoseconds(since: before)
      let middle = before + width / 2
      let offset = Int64(wall.nanoseconds) - Int64(middle.nanoseconds)
      if best == nil || width < best!.width { best = (width, Sample(offset: offset, takenAt: .now())) }
    }
    return best!.sample
  }
}
