public import CaptureCore
internal import Locking

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

  private let counts = Locked(Counts())

  /// Creates counters that are all 0.
  public init() {}

  /// The counts now.
  public var now: Counts { counts.withLock { $0 } }

  func count(dropped: DropCounts) {
    if dropped.total > 0 { counts.withLock { $0.dropped += dropped } }
  }

  func count(bytes: UInt64) { counts.withLock { $0.bytes += bytes } }

  func count(historySamplesLost count: Int) {
    if count > 0 { counts.withLock { $0.historyShortened += UInt64(count) } }
  }

  func count(historySoundLost count: Int) {
    if count > 0 { counts.withLock { $0.soundHistoryShortened += UInt64(count) } }
  }

  func countSegmentFinished() { counts.withLock { $0.segmentsFinished += 1 } }

  func countSegmentDeleted() { counts.withLock { $0.segmentsDeleted += 1 } }

  func countPreRollFailure() { counts.withLock { $0.preRollFailures += 1 } }

  func countFailure() { counts.withLock { $0.failures += 1 } }
}
