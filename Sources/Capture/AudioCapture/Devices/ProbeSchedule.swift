/// When the discovery thread looks again although no event tells of a change. A value.
struct ProbeSchedule: Hashable, Sendable {
  /// Milliseconds between two looks while an input is busy, because no event tells that it is free.
  static let period: Int32 = 1000
  /// The longest pause while an input fails, in milliseconds.
  static let longest: Int32 = 60_000

  private var afterFailure = period

  /// The pause before the next look, in milliseconds; nil to wait for an event.
  ///
  /// - Parameters:
  ///   - isWaiting: whether an input is busy or held back.
  ///   - hasFailure: whether an input failed when it was asked. It is asked again after pauses that grow.
  ///   - afterProbe: whether no event brought about the last look.
  mutating func pause(isWaiting: Bool, hasFailure: Bool, afterProbe: Bool) -> Int32? {
    afterFailure = hasFailure && afterProbe ? min(2 * afterFailure, Self.longest) : Self.period
    if isWaiting { return Self.period }
    return hasFailure ? afterFailure : nil
  }
}
