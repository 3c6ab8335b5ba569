internal import CV4L2
internal import CaptureCore

/// Counts the slow answers of a camera, and says when there were too many in a row. A value.
///
/// A single slow answer proves nothing: on a busy machine, the asking thread may have waited for a processor.
struct AnswerPatience {
  /// An answer that takes longer than this many nanoseconds is slow. The limit is below the shortest time in which a
  /// driver's buffers fill.
  static let limit: UInt64 = 20_000_000
  static let slowAnswers = 3

  private var slow = 0

  /// Counts an answer.
  ///
  /// - Parameter nanoseconds: how long the answer took.
  /// - Returns: whether the answer is at least the ``slowAnswers``-th slow one in a row.
  mutating func ends(after nanoseconds: UInt64) -> Bool {
    slow = nanoseconds > Self.limit ? slow + 1 : 0
    return slow >= Self.slowAnswers
  }
}
