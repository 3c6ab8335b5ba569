internal import SystemClocks

/// How many lines a minute go into the log, as a value. Lines above that are counted, and the next line that goes into
/// the log tells how many were left out.
struct LogAllowance: Hashable, Sendable {
  /// The most lines in a minute.
  static let lines = 20

  private static let minute: UInt64 = 60_000_000_000
  private var start: MonotonicInstant?
  private var used = 0
  private var omitted = 0

  /// Asks whether a line may go into the log.
  ///
  /// - Returns: how many lines were left out since the last one that went in; nil when this one must be left out, too.
  mutating func take(at now: MonotonicInstant) -> Int? {
    if start.map({ now.nanoseconds(since: $0) >= Self.minute }) ?? true { (start, used) = (now, 0) }
    guard used < Self.lines else {
      omitted += 1
      return nil
    }
    used += 1
    defer { omitted = 0 }
    return omitted
  }
}
