/// Who wakes for the next deadline. A value; times are CLOCK_MONOTONIC.
struct DeadlineWatch: Hashable, Sendable {
  private var current: UInt64?
  private var wakesAt: UInt64 = 0
  private var last: UInt64 = 0

  /// - Returns: the watcher to be started, where nobody wakes in time for `deadline`; it takes the place of another, which
  ///   finds that out when it wakes.
  mutating func begin(before deadline: UInt64?) -> UInt64? {
    guard let deadline, current == nil || deadline < wakesAt else { return nil }
    last += 1
    (current, wakesAt) = (last, deadline)
    return last
  }

  /// - Returns: until when `watcher` sleeps; nil when it ends.
  mutating func next(of watcher: UInt64, _ deadline: UInt64?) -> UInt64? {
    guard watcher == current else { return nil }
    guard let deadline else {
      current = nil
      return nil
    }
    wakesAt = deadline
    return deadline
  }
}
