/// The limits at which a recording ends by itself. Nil means that there is none.
public struct RecordingLimits: Hashable, Sendable {
  /// The longest duration of the movie, in nanoseconds. No movie is longer.
  public var duration: UInt64?
  /// The most bytes of the samples of the file. The movie ends before the frame that would exceed them, but has one
  /// frame at least.
  public var fileSize: UInt64?
  /// The free space of the file system that the recording leaves to others, in bytes. The movie ends before the frame
  /// that would take it, but has one frame at least.
  public var freeSpace: UInt64?

  /// Whether samples are looked at before they are written.
  var concernsFile: Bool { fileSize != nil || freeSpace != nil }

  /// Limits; by default none.
  public init(duration: UInt64? = nil, fileSize: UInt64? = nil, freeSpace: UInt64? = nil) {
    self.duration = duration
    self.fileSize = fileSize
    self.freeSpace = freeSpace
  }
}
