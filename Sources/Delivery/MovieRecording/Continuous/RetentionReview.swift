internal import Locking
internal import Logging
internal import SystemFiles

/// Decides which segments of a session go, one after the other, the oldest first. A value.
///
/// The caller tells which deletions succeeded. A segment that cannot be deleted frees nothing, so that the next one
/// goes in its place; the next review asks for it again.
struct RetentionReview: Sendable {
  private let retention: Retention
  /// The segments that may go, the newest first. Empty when none has to go.
  private var candidates: [Retention.Segment] = []
  private var bytes: UInt64
  private var freeSpace: UInt64
  private let share: DiskShare
  private var missingPlaces: Int

  /// - Parameters:
  ///   - segments: all segments of the session, in any order.
  ///   - space: the file system. Nil when the system does not tell.
  ///   - missingPlaces: how many recordings the folder has too many.
  init(_ retention: Retention, _ segments: [Retention.Segment], space: DiskSpace?, missingPlaces: Int = 0) {
    self.retention = retention
    bytes = segments.reduce(0) { $0 + $1.bytes }
    freeSpace = space?.free ?? .max
    share = DiskShare(leftToOthers: space.flatMap { retention.minimumFreeSpace?.bytes(of: $0.total) } ?? 0)
    self.missingPlaces = retention.isUnlimited ? 0 : missingPlaces
    // Most reviews end here and need not sort.
    guard !isEnough || segments.contains(where: isTooOld) else { return }
    candidates = segments.filter(\.isDeletable).sorted { ($0.number, $1.age, $0.id) > ($1.number, $0.age, $1.id) }
  }

  /// Whether less space is free than the session leaves to others.
  var lacksSpace: Bool { !share.fits(freeSpace) }

  /// The next segment that has to go. Nil when the others may stay.
  mutating func next() -> Retention.Segment? {
    while let segment = candidates.popLast() {
      if !isEnough || isTooOld(segment) { return segment }
    }
    return nil
  }

  /// Notes that a segment is deleted.
  mutating func noteDeleted(_ segment: Retention.Segment) {
    bytes -= segment.bytes
    let (sum, overflows) = freeSpace.addingReportingOverflow(segment.bytes)
    freeSpace = overflows ? .max : sum
    missingPlaces -= 1
  }

  private var isEnough: Bool { bytes <= retention.maximumBytes ?? .max && !lacksSpace && missingPlaces <= 0 }

  private func isTooOld(_ segment: Retention.Segment) -> Bool {
    segment.isDeletable && segment.age > retention.maximumAge ?? .max
  }
}

/// Which segments of its continuous recording a session keeps, as a value. Nil means that there is no such limit.
public struct Retention: Hashable, Sendable {
  /// How much of the file system is left to others.
  public enum FreeSpace: Hashable, Sendable {
    /// So many bytes.
    case bytes(UInt64)
    /// So many hundredths of the file system.
    case percent(UInt64)

    /// The number of bytes on a file system of this size.
    func bytes(of total: UInt64) -> UInt64 {
      switch self {
      case .bytes(let bytes): bytes
      case .percent(let percent): total / 100 * percent
      }
    }
  }

  /// How long after its end a segment is kept, in nanoseconds.
  public var maximumAge: UInt64?
  /// The most bytes of all segments.
  public var maximumBytes: UInt64?
  /// The free space of the file system that is left to others.
  public var minimumFreeSpace: FreeSpace?

  /// Limits; by default none.
  public init(maximumAge: UInt64? = nil, maximumBytes: UInt64? = nil, minimumFreeSpace: FreeSpace? = nil) {
    self.maximumAge = maximumAge
    self.maximumBytes = maximumBytes
    self.minimumFreeSpace = minimumFreeSpace
  }

  /// Whether segments are never deleted.
  var isUnlimited: Bool { self == Retention() }

  /// What the decision needs to know of a segment.
  struct Segment: Hashable, Sendable {
    var id: String
    /// As ``RecordingRecord/number``.
    var number: UInt64
    /// The time since the end of the segment, in nanoseconds.
    var age: UInt64
    var bytes: UInt64
    /// Whether the segment may be deleted. One that is being written may not.
    var isDeletable: Bool

    init(id: String, number: UInt64, age: UInt64, bytes: UInt64, isDeletable: Bool) {
      self.id = id
      self.number = number
      self.age = age
      self.bytes = bytes
      self.isDeletable = isDeletable
    }

    /// The segment of a record, with the age 0.
    init(_ record: RecordingRecord) {
      self.init(
        id: record.id, number: record.number, age: 0, bytes: record.tally.fileSize,
        isDeletable: record.state == .finished)
    }
  }
}

/// What the operator was told about ages in this run of the daemon. A value.
struct RetentionNews: Sendable {
  private var deleted: Set<String> = []
  private var undated: Set<String> = []

  /// Whether this is the first segment of a session that goes because of its age.
  mutating func isFirstDeletion(of session: String) -> Bool { deleted.insert(session).inserted }

  /// Whether these are the first segments of a session of which no clock tells the age.
  mutating func isFirstWithoutDate(of session: String) -> Bool { undated.insert(session).inserted }
}

extension SegmentKeeper {
  /// Says once that a session's segments go because of their age, because nobody else sees it.
  func logDeletion(of segment: Retention.Segment, _ retention: Retention, of session: String) {
    guard segment.age > retention.maximumAge ?? .max, news.withLock({ $0.isFirstDeletion(of: session) }) else { return }
    catalog.logger.info(
      "The daemon deletes the segments of the session that are older than max-age. It does not log the next ones.",
      metadata: [
        "session.id": "\(session)", "recording.id": "\(segment.id)", "segment.age": "\(segment.age / 1_000_000_000)",
        "segment.max_age": "\((retention.maximumAge ?? 0) / 1_000_000_000)",
      ])
  }

  /// Says once that a session has segments of which no clock tells the age.
  func logUndated(_ count: Int, of session: String) {
    guard count > 0, news.withLock({ $0.isFirstWithoutDate(of: session) }) else { return }
    catalog.logger.warning(
      "The daemon keeps segments as long as later ones, because the clock was wrong and tells no age.",
      metadata: ["session.id": "\(session)", "segment.count": "\(count)"])
  }
}
