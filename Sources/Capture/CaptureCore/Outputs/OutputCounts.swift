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
