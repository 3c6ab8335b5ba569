internal import SystemClocks

/// Which segments of its continuous recording a session keeps, as a value. Nil means that there is no such limit.
public struct Retention: Hashable, Sendable {
  /// How long after its end a segment is kept, in nanoseconds.
  public var maximumAge: UInt64?
  /// The most bytes of all segments.
  public var maximumBytes: UInt64?
  /// The free space of the file system in bytes that is left to others.
  public var minimumFreeSpace: UInt64?

  /// Limits; by default none.
  public init(maximumAge: UInt64? = nil, maximumBytes: UInt64? = nil, minimumFreeSpace: UInt64? = nil) {
    self.maximumAge = maximumAge
    self.maximumBytes = maximumBytes
    self.minimumFreeSpace = minimumFreeSpace
  }

  /// Whether segments are ever deleted.
  var isUnlimited: Bool { self == Retention() }

  /// What the decision needs to know of a segment.
  struct Segment: Hashable, Sendable {
    var id: String
    var start: WallInstant
    /// How long the segment is, in nanoseconds.
    var duration: UInt64
    var bytes: UInt64
    /// Whether the segment may be deleted. One that is being written may not.
    var isDeletable: Bool
  }

  struct Decision: Hashable, Sendable {
    /// The ids of the segments that must go, the oldest first.
    var deleted: [String] = []
    /// Whether too little space stays free when all of them have gone.
    var lacksSpace = false
  }

  /// Decides which segments must go now.
  ///
  /// - Parameters:
  ///   - segments: all segments of the session, in any order.
  ///   - freeSpace: the free space of the file system in bytes. Nil when the system does not tell.
  func decision(on segments: [Segment], now: WallInstant, freeSpace: UInt64?) -> Decision {
    var decision = Decision()
    var bytes = segments.reduce(0) { $0 + $1.bytes }
    var free = freeSpace ?? .max
    var isEnough: Bool { bytes <= maximumBytes ?? .max && free >= minimumFreeSpace ?? 0 }
    // Most decisions end here, without an order of the segments.
    guard !isEnough || segments.contains(where: { isTooOld($0, now) }) else { return decision }
    for segment in segments.sorted(by: { ($0.start, $0.id) < ($1.start, $1.id) }) where segment.isDeletable {
      guard isTooOld(segment, now) || !isEnough else { continue }
      decision.deleted.append(segment.id)
      bytes -= segment.bytes
      free = free.addingReportingOverflow(segment.bytes).overflow ? .max : free + segment.bytes
    }
    decision.lacksSpace = free < minimumFreeSpace ?? 0
    return decision
  }

  private func isTooOld(_ segment: Segment, _ now: WallInstant) -> Bool {
    guard let maximumAge, segment.isDeletable, segment.start < now else { return false }
    return now.nanoseconds(since: segment.start) > segment.duration + maximumAge
  }
}
