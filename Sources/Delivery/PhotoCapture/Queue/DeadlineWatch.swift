internal import SystemClocks

/// Who wakes for the next deadline. A value.
struct DeadlineWatch: Hashable, Sendable {
  private var current: UInt64?
  /// When `current` wakes; nil while nobody watches.
  private var wakesAt: MonotonicInstant?
  private var last: UInt64 = 0

  /// - Returns: the watcher to be started, where nobody wakes in time for `deadline`; it takes the place of another, which
  ///   finds that out when it wakes.
  mutating func begin(before deadline: MonotonicInstant?) -> UInt64? {
    guard let deadline, wakesAt.map({ deadline < $0 }) ?? true else { return nil }
    last += 1
    (current, wakesAt) = (last, deadline)
    return last
  }

  /// - Returns: until when `watcher` sleeps; nil when it ends.
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
