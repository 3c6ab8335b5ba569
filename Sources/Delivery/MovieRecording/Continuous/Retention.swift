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
