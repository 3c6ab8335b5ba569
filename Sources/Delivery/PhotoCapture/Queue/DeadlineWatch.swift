internal import SystemClocks

/// Which watcher wakes for the next deadline. A watcher is a task that sleeps until a deadline. A value.
struct DeadlineWatch: Hashable, Sendable {
  private var current: UInt64?
  /// When `current` wakes; nil while there is no watcher.
  private var wakesAt: MonotonicInstant?
  private var last: UInt64 = 0

  /// Returns a watcher to be started if none wakes in time for `deadline`. It takes the place of the current one, which
  /// finds that out when it wakes.
  mutating func begin(before deadline: MonotonicInstant?) -> UInt64? {
    guard let deadline, wakesAt.map({ deadline < $0 }) ?? true else { return nil }
    last += 1
    (current, wakesAt) = (last, deadline)
    return last
  }

  /// Returns until when `watcher` sleeps, given the next deadline; nil when the watcher ends.
  mutating func next(of watcher: UInt64, _ deadline: MonotonicInstant?) -> MonotonicInstant? {
    guard watcher == current else { return nil }
    guard let deadline else {
      (current, wakesAt) = (nil, nil)
      return nil
    }
    wakesAt = deadline
    return deadline
  }
}
