import CaptureCore
import Testing

/// Tests how a pool follows a change of its budget while frames are in use. A commit changes the budget when the ring
/// grows or shrinks.
@Suite struct FramePoolBoundsTests {
  /// A buffer of 4096 bytes; nil when the pool's budget is used up.
  private func buffer(_ pool: FramePool) -> FrameBuffer? {
    guard let memory = pool.take(4096) else { return nil }
    return memory.freeze(count: 4096)
  }

  /// A pool that had no memory left gives out memory again as soon as its budget grows.
  @Test func aLargerBudgetAppliesAtOnce() {
    let pool = FramePool(budget: 4096)
    let first = buffer(pool)
    #expect(first != nil && buffer(pool) == nil)
    pool.setBounds(budget: 8192, kept: 0)
    #expect(buffer(pool) != nil)
  }

  /// When the budget shrinks below the memory in use, the pool gives out nothing until enough buffers came back, and
  /// frees the memory that is above the new budget.
  @Test func aSmallerBudgetAppliesWhenEnoughMemoryCameBack() {
    let pool = FramePool(budget: 3 * 4096)
    var buffers = (0..<3).map { _ in buffer(pool) }
    pool.setBounds(budget: 4096, kept: 4096)
    #expect(buffer(pool) == nil)
    buffers.removeLast(2)
    #expect(buffer(pool) == nil, "one buffer is in use, and the budget allows one")
    #expect(pool.usage.allocated == 4096, "the pool freed the other two slabs")
    #expect(buffers[0]?.leavesRoom(for: 1) == false)
    buffers = []
    #expect(buffer(pool) != nil)
  }
}
