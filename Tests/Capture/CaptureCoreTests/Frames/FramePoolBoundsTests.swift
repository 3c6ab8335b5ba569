import CaptureCore
import Testing

@Suite struct FramePoolBoundsTests {
  private func buffer(_ pool: FramePool) -> FrameBuffer? {
    guard let memory = pool.take(4096) else { return nil }
    return memory.freeze(count: 4096)
  }

  @Test func aLargerBudgetIsThereAtOnce() {
    let pool = FramePool(budget: 4096)
    let first = buffer(pool)
    #expect(first != nil && buffer(pool) == nil)
    pool.setBounds(budget: 8192, kept: 0)
    #expect(buffer(pool) != nil)
  }

  @Test func aSmallerBudgetHoldsOnceEnoughCameBack() {
    let pool = FramePool(budget: 3 * 4096)
    var buffers = (0..<3).map { _ in buffer(pool) }
    pool.setBounds(budget: 4096, kept: 4096)
    #expect(buffer(pool) == nil)
    buffers.removeLast(2)
    #expect(buffer(pool) == nil, "one is out, and one is allowed")
    #expect(pool.usage.allocated == 4096, "the others went back to the system")
    #expect(buffers[0]?.leavesRoom(for: 1) == false)
    buffers = []
    #expect(buffer(pool) != nil)
  }
}
