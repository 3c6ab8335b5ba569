internal import Synchronization
internal import SystemClocks

/// Makes the ids that tell the stream of one STREAMON from the stream of the next.
public enum StreamID {
  private static let last = Atomic<UInt64>(0)

  /// Makes an id that is larger than all earlier ones: the microseconds since the Unix epoch, or the former id plus one
  /// if that is larger. So ids are unique across restarts of the daemon too, and below 2^53, as clients need that store
  /// numbers as doubles.
  public static func next() -> UInt64 {
    let now = WallInstant.now().nanoseconds / 1000
    while true {
      let previous = last.load(ordering: .relaxed)
      let next = max(previous + 1, now)
      if last.compareExchange(expected: previous, desired: next, ordering: .relaxed).exchanged { return next }
    }
  }
}
