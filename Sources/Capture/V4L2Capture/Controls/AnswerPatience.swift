internal import CV4L2
internal import CaptureCore

/// How many slow answers of a camera are borne. A value.
///
/// One says nothing: on a busy machine it may have been the thread that waited, for a processor.
struct AnswerPatience {
  /// Nanoseconds; less than the shortest time in which a driver's buffers fill.
  static let limit: UInt64 = 20_000_000
  static let slowAnswers = 3

  private var slow = 0

  /// Takes how long an answer took.
  ///
  /// - Returns: whether it was one too many that were slow, one after the other.
  mutating func ends(after nanoseconds: UInt64) -> Bool {
    slow = nanoseconds > Self.limit ? slow + 1 : 0
    return slow >= Self.slowAnswers
  }
}
