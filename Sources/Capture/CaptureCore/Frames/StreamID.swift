internal import Synchronization

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
