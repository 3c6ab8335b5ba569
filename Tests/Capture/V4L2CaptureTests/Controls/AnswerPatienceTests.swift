import Testing

@testable import V4L2Capture

/// When a camera counts as slow, so that the daemon does not ask it again.
@Suite struct AnswerPatienceTests {
  private let fast: UInt64 = 1_000_000
  private let slow: UInt64 = 21_000_000

  /// Two slow answers in a row prove nothing, because the asking thread may have waited for a processor. An answer that
  /// takes exactly the limit is not slow.
  @Test func aThreadThatWasPreemptedIsForgiven() {
    var patience = AnswerPatience()
    let ends = [slow, slow, fast, slow, slow, fast, AnswerPatience.limit].map { patience.ends(after: $0) }
    #expect(!ends.contains(true))
  }

  /// Three slow answers in a row show that the camera itself is slow.
  @Test func aCameraThatIsAlwaysSlowIsNotAskedAgain() {
    var patience = AnswerPatience()
    let ends = [fast, slow, slow, slow].map { patience.ends(after: $0) }
    #expect(ends == [false, false, false, true])
  }
}
