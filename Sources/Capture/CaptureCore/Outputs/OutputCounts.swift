/// What an output was given since it was made, and who reads it.
public struct OutputCounts: Hashable, Sendable {
  /// Frames.
  public var received: UInt64
  /// What the source lost before frames reached the output.
  public var lost: DropCounts
  /// Readers attached now.
  public var readers: Int
  /// How evenly and how late they got their frames.
  public var cadence: Cadence

  public init(received: UInt64, lost: DropCounts, readers: Int, cadence: Cadence) {
    self.received = received
    self.lost = lost
    self.readers = readers
    self.cadence = cadence
  }
}
