public import CaptureCore
public import SystemClocks

/// Decides when the log tells of frames that recordings lost, as a value: of the first ones at once, and of all that
/// follow once a minute, so that a disk that is too slow fills no log.
public struct LossWatch: Sendable {
  private static let pause: UInt64 = 60_000_000_000
  private var waiting: [String: DropCounts] = [:]
  private var told: MonotonicInstant?

  /// A watch that has told nothing.
  public init() {}

  /// Takes note of losses, and returns what the log has to tell now, by the name of the session. Empty for nothing.
  ///
  /// - Parameter losses: the frames that were lost since the last call.
  public mutating func take(_ losses: [String: DropCounts], at now: MonotonicInstant) -> [String: DropCounts] {
    for (session, lost) in losses { waiting[session, default: DropCounts()] += lost }
    guard !waiting.isEmpty, told.map({ now.nanoseconds(since: $0) >= Self.pause }) ?? true else { return [:] }
    defer { waiting = [:] }
    told = now
    return waiting
  }

  /// Takes note of the last losses, and returns all that the log was not told.
  public mutating func takeAll(_ losses: [String: DropCounts]) -> [String: DropCounts] {
    told = nil
    return take(losses, at: MonotonicInstant(nanoseconds: 0))
  }
}
