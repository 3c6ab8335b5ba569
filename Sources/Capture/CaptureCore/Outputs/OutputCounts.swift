/// The frames that an output was given since it was made, and its readers.
public struct OutputCounts: Hashable, Sendable {
  /// The number of frames that the output was given.
  public var received: UInt64
  /// The frames that were lost before they reached the output, by cause.
  public var lost: DropCounts
  /// The number of readers that are attached now.
  public var readers: Int
  /// How evenly and how late the readers got their frames.
  public var cadence: Cadence

  /// Creates the counts of an output.
  ///
  /// - Parameters:
  ///   - received: the number of frames that the output was given.
  ///   - lost: the frames that were lost before they reached the output.
  ///   - readers: the number of readers that are attached now.
  public init(received: UInt64, lost: DropCounts, readers: Int, cadence: Cadence) {
    self.received = received
    self.lost = lost
    self.readers = readers
    self.cadence = cadence
  }
}

/// The number of dropped frames, by cause. Delivered and dropped frames together are all frames that the camera
/// produced.
public struct DropCounts: Hashable, Sendable {
  /// Frames that a newer frame replaced, because the reader was too slow.
  public var late: UInt64
  /// Frames for which the frame pool had no memory.
  public var outOfBuffers: UInt64
  /// Frames whose sequence numbers the driver skipped, or that were lost because the stream was restarted.
  public var discontinuity: UInt64
  /// Pictures that the camera or its driver delivered damaged: flagged as damaged, cut off, of another size, or
  /// impossible to decode.
  public var damaged: UInt64

  /// Creates counts; each cause without an argument has dropped no frame.
  public init(late: UInt64 = 0, outOfBuffers: UInt64 = 0, discontinuity: UInt64 = 0, damaged: UInt64 = 0) {
    self.late = late
    self.outOfBuffers = outOfBuffers
    self.discontinuity = discontinuity
    self.damaged = damaged
  }

  /// The number of frames dropped for any cause.
  public var total: UInt64 { late + outOfBuffers + discontinuity + damaged }

  /// Adds the counts of `b` to those of `a`, cause by cause.
  public static func += (a: inout DropCounts, b: DropCounts) {
    a.late += b.late
    a.outOfBuffers += b.outOfBuffers
    a.discontinuity += b.discontinuity
    a.damaged += b.damaged
  }
}
