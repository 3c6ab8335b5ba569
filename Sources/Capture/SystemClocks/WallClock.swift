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
