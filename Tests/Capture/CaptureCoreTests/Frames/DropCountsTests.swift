import CaptureCore
import Testing

/// Tests how counts of dropped frames add up.
@Suite struct DropCountsTests {
  /// Adding keeps the causes apart, and the total is the sum of all causes.
  @Test func addingKeepsTheCausesApart() {
    var counts = DropCounts(late: 1, outOfBuffers: 2, damaged: 7)
    counts += DropCounts(late: 10, discontinuity: 3, damaged: 1)
    #expect(counts == DropCounts(late: 11, outOfBuffers: 2, discontinuity: 3, damaged: 8))
    #expect(counts.total == 24)
  }
}
