import CaptureCore
import Testing

@Suite struct DropCountsTests {
  @Test func addsByCause() {
    var counts = DropCounts(late: 1, outOfBuffers: 2)
    counts += DropCounts(late: 10, discontinuity: 3)
    #expect(counts == DropCounts(late: 11, outOfBuffers: 2, discontinuity: 3))
    #expect(counts.total == 16)
  }
}
