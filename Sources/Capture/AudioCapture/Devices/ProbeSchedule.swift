/// When the discovery thread looks again although no event tells of a change. A value.
struct ProbeSchedule: Hashable, Sendable {
  /// Milliseconds between two looks while an input is busy, because no event tells that it is free.
  static let period: Int32 = 1000
  /// The longest pause while an input fails, in milliseconds.
  static let longest: Int32 = 60_000

  private var afterFailure = period
  /// Milliseconds until failed inputs are asked again although no event comes.
  private var untilFailed = period

  /// Whether the next look asks failed inputs, too, if no event brings it about.
  var asksFailed: Bool { untilFailed <= 0 }

  /// The pause before the next look, in milliseconds; nil to wait for an event.
  ///
  /// - Parameters:
  ///   - isWaiting: whether an input is busy or held back.
  ///   - hasFailure: whether an input failed when it was asked. It is asked again after pauses that grow.
  ///   - afterProbe: whether no event brought about the last look.
  mutating func pause(isWaiting: Bool, hasFailure: Bool, afterProbe: Bool) -> Int32? {
    if !hasFailure || !afterProbe {
      (afterFailure, untilFailed) = (Self.period, Self.period)
    } else if asksFailed {
      afterFailure = min(2 * afterFailure, Self.longest)
      untilFailed = afterFailure
    }
    guard isWaiting || hasFailure else { return nil }
    // A busy input does not let a failed one be asked more often, because a broken card may take seconds to answer.
    let pause = isWaiting ? min(Self.period, untilFailed) : untilFailed
    untilFailed -= pause
    return pause
  }
}
