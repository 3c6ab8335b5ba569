public import CaptureCore
internal import Locking
public import SystemClocks

/// Counts what all recordings of the daemon do, for metrics. Thread-safe.
public final class RecordingCounters: Sendable {
  /// The counts since the daemon started.
  public struct Counts: Hashable, Sendable {
    /// Segments of continuous recordings whose file and record are complete.
    public var segmentsFinished: UInt64 = 0
    /// Segments that were deleted by the retention of their session.
    public var segmentsDeleted: UInt64 = 0
    /// Attempts of continuous recordings that the encoder, the disk or missing space ended.
    public var failures: UInt64 = 0
    /// Bytes of recordings that were written and play.
    public var bytes: UInt64 = 0
    /// Frames that recordings lack.
    public var dropped = DropCounts()
    /// Failures of encoders that code for a pre-roll.
    public var preRollFailures: UInt64 = 0
    /// Pictures that outputs keep for a pre-roll and gave up early, because they took too many bytes.
    public var historyShortened: UInt64 = 0
    /// Blocks of sound that outputs keep for a pre-roll and gave up early, because they took too many bytes.
    public var soundHistoryShortened: UInt64 = 0
  }

  /// What the counters of all sessions share.
  private final class Shared: Sendable {
    let counts = Locked(Counts())
    /// The frames lost since ``takeLosses()``, by whose recordings they lack. Sessions that record at the same time are
    /// few, and whoever takes the losses empties this.
    let losses = Locked<[String: DropCounts]>([:])
  }

  private let shared: Shared
  private let owner: String

  /// Creates counters that are all 0.
  public convenience init() { self.init(Shared(), owner: "writers") }

  private init(_ shared: Shared, owner: String) {
    self.shared = shared
    self.owner = owner
  }

  /// The same counters for the recordings of one session.
  ///
  /// - Parameter owner: the name that ``takeLosses()`` gives the session.
  func of(_ owner: String) -> RecordingCounters { RecordingCounters(shared, owner: owner) }

  /// The counts now.
  public var now: Counts { shared.counts.withLock { $0 } }

  /// Takes the frames that recordings lost since the last call, by the name of the session; `writers` for the movies of
  /// writers. It has no session that lost none.
  public func takeLosses() -> [String: DropCounts] {
    shared.losses.withLock { losses in
      defer { losses = [:] }
      return losses
    }
  }

  func count(dropped: DropCounts) {
    guard dropped.total > 0 else { return }
    shared.counts.withLock { $0.dropped += dropped }
    shared.losses.withLock { $0[owner, default: DropCounts()] += dropped }
  }

  func count(bytes: UInt64) { shared.counts.withLock { $0.bytes += bytes } }

  func count(historySamplesLost count: Int) {
    if count > 0 { shared.counts.withLock { $0.historyShortened += UInt64(count) } }
  }

  func count(historySoundLost count: Int) {
    if count > 0 { shared.counts.withLock { $0.soundHistoryShortened += UInt64(count) } }
  }

  func countSegmentFinished() { shared.counts.withLock { $0.segmentsFinished += 1 } }

  func countSegmentDeleted() { shared.counts.withLock { $0.segmentsDeleted += 1 } }

  func countPreRollFailure() { shared.counts.withLock { $0.preRollFailures += 1 } }

  func countFailure() { shared.counts.withLock { $0.failures += 1 } }
}

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
