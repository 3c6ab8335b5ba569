/// The limits at which a recording ends by itself. Nil means that there is none.
public struct RecordingLimits: Hashable, Sendable {
  /// The longest duration of the movie, in nanoseconds. No movie is longer.
  public var duration: UInt64?
  /// The size of the file at which the recording ends, in bytes. What is encoded by then is still written.
  public var fileSize: UInt64?
  /// The free space of the file system at which the recording ends, in bytes. What is encoded by then is still written.
  public var freeSpace: UInt64?

  /// Limits; by default none.
  public init(duration: UInt64? = nil, fileSize: UInt64? = nil, freeSpace: UInt64? = nil) {
    self.duration = duration
    self.fileSize = fileSize
    self.freeSpace = freeSpace
  }
}
