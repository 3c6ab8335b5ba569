/// By how much the wall clock is ahead of the monotonic one, and how far wrong this can be. A value.
///
/// The kernel steers both clocks alike, so the offset stays the same until somebody sets the wall clock. A measurement
/// by a thread that is interrupted is uncertain, and must not move the times of what is captured.
struct ClockOffset: Hashable, Sendable {
  /// What to add to a monotonic time to get the wall-clock time, in nanoseconds.
  var nanoseconds: Int64
  /// The true offset differs by no more than so many nanoseconds.
  var error: UInt64

  /// The error of a measurement that need not be made again: half a microsecond.
  private static let sufficient: UInt64 = 500

  /// What is known after another measurement: the same as before where both measurements may be true, so that the time
  /// of a frame stays what it was told to be, and otherwise what the new one says. One that was uncertain is improved.
  func corrected(by measured: ClockOffset) -> ClockOffset {
    let difference = (measured.nanoseconds - nanoseconds).magnitude
    let allowance = measured.error + (error <= Self.sufficient ? error : 0)
    return difference <= allowance ? self : measured
  }

  /// Reads the wall clock between two reads of the monotonic clock until these lie within a microsecond, at most 20
  /// times, and takes the reading whose two reads lie closest together.
  static func measure() -> ClockOffset {
    var best: ClockOffset?
    for _ in 0..<20 {
      let measured = measureOnce()
      if measured.error < best?.error ?? .max { best = measured }
      if measured.error <= sufficient { break }
    }
    return best!
  }

  private static func measureOnce() -> ClockOffset {
    let before = MonotonicInstant.now()
    let wall = WallInstant.now()
    let half = MonotonicInstant.now().nanoseconds(since: before) / 2
    // Both clocks tell whole nanoseconds.
    return ClockOffset(nanoseconds: Int64(wall.nanoseconds) - Int64((before + half).nanoseconds), error: half + 2)
  }
}
