/// What became of a program's answers, and of the frames it was asked about.
public struct ProcessingCounts: Hashable, Sendable {
  /// Answers in time.
  public var shown: UInt64 = 0
  /// Answers too late, or to no frame.
  public var late: UInt64 = 0
  /// Frames shown without an answer.
  public var unanswered: UInt64 = 0
}
