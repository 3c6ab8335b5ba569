import Testing

@testable import V4L2Capture

@Suite struct AnswerPatienceTests {
  private let fast: UInt64 = 1_000_000
  private let slow: UInt64 = 21_000_000

  @Test func aThreadThatWasPreemptedIsForgiven() {
    var patience = AnswerPatience()
    let ends = [slow, slow, fast, slow, slow, fast, AnswerPatience.limit].map { patience.ends(after: $0) }
    #expect(!ends.contains(true))
  }

  @Test func aCameraThatIsAlwaysSlowIsNotAskedAgain() {
    var patience = AnswerPatience()
    let ends = [fast, slow, slow, slow].map { patience.ends(after: $0) }
    #expect(ends == [false, false, false, true])
  }
}
