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
    /// Attempts to record continuously that ended because the encoder or the disk failed or space was missing.
    public var failures: UInt64 = 0
    /// Bytes that recordings have written and that a player can play.
    public var bytes: UInt64 = 0
    /// Frames that recordings lack.
    public var dropped = DropCounts()
    /// Failures of encoders that code for a pre-roll.
    public var preRollFailures: UInt64 = 0
    /// Pictures that outputs had kept for a pre-roll and dropped early, because the pictures took too many bytes.
    public var historyShortened: UInt64 = 0
    /// Blocks of sound that outputs had kept for a pre-roll and dropped early, because the sound took too many bytes.
    public var soundHistoryShortened: UInt64 = 0
  }

  /// What the counters of all sessions share.
  private final class Shared: Sendable {
    let counts = Locked(Counts())
    /// The frames that recordings have lost since the last call of ``takeLosses()``, by the owner of the recordings.
    /// The dictionary stays small, because few sessions record at the same time, and each call of ``takeLosses()``
    /// empties it.
    let losses = Locked<[String: DropCounts]>([:])
  }

  private let shared: Shared
  /// Whose recordings this object counts: the name of a session, or `writers` for the movies of writers.
  private let owner: String

  /// Creates counters that are all 0.
  public convenience init() { self.init(Shared(), owner: "writers") }

  private init(_ shared: Shared, owner: String) {
    self.shared = shared
    self.owner = owner
  }

  /// Returns counters for the recordings of one session. They add to the same counts.
  ///
  /// - Parameter owner: the name that ``takeLosses()`` gives the session.
  func of(_ owner: String) -> RecordingCounters { RecordingCounters(shared, owner: owner) }

  /// The counts now.
  public var now: Counts { shared.counts.withLock { $0 } }

  /// Takes the frames that recordings have lost since the last call, by the name of the session; `writers` stands for
  /// the movies of writers. The result leaves out sessions that lost no frame.
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

/// Decides when the log tells of frames that recordings lost. The log tells of the first frames at once, and of all
/// later ones once a minute, so that a slow disk does not fill the log. A value.
public struct LossWatch: Sendable {
  private static let pause: UInt64 = 60_000_000_000
  private var waiting: [String: DropCounts] = [:]
  private var told: MonotonicInstant?

  /// A watch that has told nothing.
  public init() {}

  /// Takes note of losses, and returns what the log has to tell now, by the name of the session. The result is empty
  /// when the log has nothing to tell.
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

/// Counts lost frames by their times, until it is known to which movie or segment they belong. A value.
struct DropLedger: Sendable {
  /// The most entries. When there are as many, later losses are added to the newest entry.
  static let capacity = 1024

  private var entries: [(time: UInt64, counts: DropCounts)] = []

  /// Notes frames that were lost near this time, in nanoseconds.
  mutating func add(_ counts: DropCounts, at time: UInt64) {
    guard counts.total > 0 else { return }
    if entries.count == Self.capacity {
      entries[entries.count - 1].counts += counts
    } else {
      entries.append((time, counts))
    }
  }

  /// Takes out what was lost before this time; nil takes out everything.
  @discardableResult
  mutating func take(before time: UInt64?) -> DropCounts {
    var (taken, kept) = (DropCounts(), [(time: UInt64, counts: DropCounts)]())
    for entry in entries {
      if time.map({ entry.time < $0 }) ?? true { taken += entry.counts } else { kept.append(entry) }
    }
    entries = kept
    return taken
  }

  /// Counts what was lost from a time on, up to another one.
  func sum(from start: UInt64, through end: UInt64 = .max) -> DropCounts {
    entries.reduce(into: DropCounts()) { sum, entry in
      if entry.time >= start, entry.time <= end { sum += entry.counts }
    }
  }
}

/// What a recording has so far.
public struct RecordingTally: Hashable, Sendable {
  /// The number of frames that play: those of the whole fragments of the file.
  public var frames: UInt64 = 0
  /// The frames that the movie lacks, by cause. `late` are those for which the encoder or the disk was too slow.
  public var dropped = DropCounts()
  /// The number of bytes of the file that play.
  public var fileSize: UInt64 = 0

  /// How much of each track of sound is silence in the place of sound that was lost, in nanoseconds. Empty until
  /// something plays.
  public var silence: [UInt64] = []

  /// Where each track of sound that plays ends, in nanoseconds. Empty until something plays.
  var soundEnds: [UInt64] = []

  /// A recording that has nothing.
  public init() {}

  /// Notes what plays of the file, and counts the bytes that are new.
  ///
  /// - Parameter silence: as ``silence``.
  mutating func note(_ file: MovieFile, silence: [UInt64], _ counters: RecordingCounters) {
    counters.count(bytes: file.size - min(file.size, fileSize))
    (fileSize, frames, self.silence) = (file.size, file.sampleCount, silence)
    soundEnds = file.playableSoundEnds
  }
}
