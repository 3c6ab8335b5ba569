/// What became of a program's answers, and of the frames that the program was asked about.
public struct ProcessingCounts: Hashable, Sendable {
  /// Answers that came in time.
  public var shown: UInt64 = 0
  /// Answers that came too late, or that name a frame which does not wait.
  public var late: UInt64 = 0
  /// Frames that left without an answer.
  public var unanswered: UInt64 = 0
}
