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
