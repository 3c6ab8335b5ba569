/// The limits at which a recording ends by itself. Nil means that there is none.
public struct RecordingLimits: Hashable, Sendable {
  /// The longest duration of the movie, in nanoseconds.
  public var duration: UInt64?
  /// The largest size of the file, in bytes.
  public var fileSize: UInt64?
  /// The least free space that the recording leaves on its file system, in bytes.
  public var freeSpace: UInt64?

  /// Limits; by default none.
  public init(duration: UInt64? = nil, fileSize: UInt64? = nil, freeSpace: UInt64? = nil) {
    self.duration = duration
    self.fileSize = fileSize
    self.freeSpace = freeSpace
  }
}
