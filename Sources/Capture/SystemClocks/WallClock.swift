internal import Locking

/// Converts monotonic time stamps into wall-clock times. Thread-safe. All of the daemon share one, so that whoever
/// tells the time of a frame tells the same.
///
/// The clock measures the offset between the two clocks anew when the former measurement is a second old. The second is
/// counted on CLOCK_BOOTTIME, so that a measurement from before a suspension of the machine is never used after it.
public final class WallClock: Sendable {
  private struct State {
    var offset: ClockOffset
    var measuredAt: BootInstant
  }
  private let state = Locked<State?>(nil)

  /// The clock of the daemon.
  public static let shared = WallClock()

  /// Creates a clock that measures for the first time when it is first used.
  init() {}

  /// The same instant on the wall clock.
  public func wallInstant(at monotonic: MonotonicInstant) -> WallInstant {
    let offset = state.withLock { state in
      let now = BootInstant.now()
      if let state, now.nanoseconds(since: state.measuredAt) < 1_000_000_000 { return state.offset }
      let measured = ClockOffset.measure()
      let offset = state?.offset.corrected(by: measured) ?? measured
      state = State(offset: offset, measuredAt: .now())
      return offset
    }
    return WallInstant(nanoseconds: UInt64(Int64(monotonic.nanoseconds) + offset.nanoseconds))
  }
}

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
