import CaptureCore
import Glibc
import Testing

@Suite struct FramePoolTests {
  /// Half of a page stands for the first 4 KiB of a larger one.
  @Test(arguments: [0, 2048]) func allPagesAreThereOncePopulated(offset: Int) throws {
    let page = Int(getpagesize())
    let mapped = try #require(mmap(nil, 65 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
    defer { munmap(mapped, 65 * page) }
    let base = UInt(bitPattern: mapped) + UInt(offset)
    let memory = FrameMemory(
      allocate: { .init(base: UnsafeMutableRawPointer(bitPattern: base)!, capacity: $0) }, free: { _ in })
    let pool = FramePool(budget: 64 * page, memory: memory)
    pool.take(64 * page)!.populate()
    var pages = [UInt8](repeating: 0, count: 64)
    #expect(mincore(mapped, 64 * page, &pages) == 0)
    #expect(pages.allSatisfy { $0 & 1 == 1 })
  }

  @Test func lendsWhatIsNotKept() throws {
    let pool = FramePool(budget: 5 * 4096, kept: 4096)
    let first = try #require(pool.buffer(4096))
    let second = try #require(pool.buffer(100))
    #expect(first.leavesRoom(for: 4) && !first.leavesRoom(for: 5), "taken is not lent")
    var loans = [FrameLoan(first), FrameLoan(first), FrameLoan(second)]
    #expect(first.leavesRoom(for: 2) && !first.leavesRoom(for: 3), "two loans of one buffer are its bytes once")
    loans.removeFirst()
    #expect(!first.leavesRoom(for: 3))
    loans.removeFirst()
    #expect(first.leavesRoom(for: 3))
    loans = []
    #expect(first.leavesRoom(for: 4))
  }

  @Test func whatIsLentBeyondHalfCanBeSparedOnlyWhereOthersHaveIt() throws {
    let pool = FramePool(budget: 5 * 4096, kept: 4096)
    let buffers = try (0..<3).map { _ in try #require(pool.buffer(4096)) }
    var loans = [FrameLoan(buffers[0]), FrameLoan(buffers[1])]
    #expect(buffers[1].isSpare)
    loans.append(FrameLoan(buffers[2]))
    #expect(!buffers[2].isSpare)
    loans.append(FrameLoan(buffers[1]))
    #expect(buffers[1].isSpare && !buffers[2].isSpare)
    loans.removeFirst()
    #expect(buffers[2].isSpare)
    withExtendedLifetime(loans) {}
  }

  @Test func neverExceedsItsBudget() {
    let pool = FramePool(budget: 3 * 8192)
    let buffers = (0..<3).compactMap { _ in pool.buffer(5000) }
    #expect(buffers.count == 3)
    #expect(pool.buffer(1) == nil)
    #expect(pool.usage.allocated == 3 * 8192)
    #expect(pool.usage.refused == 1)
    withExtendedLifetime(buffers) {}
  }

  @Test func providesWhatIsMissingWithinItsBudget() {
    let pool = FramePool(budget: 4 * 8192)
    let inUse = pool.buffer(8192)
    pool.provide(2, of: 5000)
    #expect(pool.usage.allocated == 3 * 8192)
    pool.provide(2, of: 8192)
    #expect(pool.usage.allocated == 3 * 8192, "they are there")
    pool.provide(9, of: 8192)
    #expect(pool.usage.allocated == 4 * 8192 && pool.usage.refused == 0)
    withExtendedLifetime(inUse) {}
  }

  @Test func memoryComesBackWithTheLastReference() {
    let pool = FramePool(budget: 8192)
    var first = pool.buffer(8192)
    var second = first
    first = nil
    #expect(second?.count == 8192)
    #expect(pool.buffer(8192) == nil, "one reference is left")
    withExtendedLifetime(second) {}
    second = nil
    #expect(pool.buffer(8192) != nil)
    #expect(first == nil && second == nil)
  }

  @Test func reusesTheSameMemory() {
    let pool = FramePool(budget: 1 << 20)
    func address(_ bytes: Int) -> UInt? { pool.buffer(bytes)?.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) } }
    let first = address(100_000)
    #expect(address(100_000) == first)
    #expect(address(60_000) == first, "down to half its size")
    #expect(address(4096) != first)
    #expect(pool.usage.allocated == 102_400 + 4096)
  }

  @Test func unusedMemoryGoesBack() {
    let pool = FramePool(budget: 4096)
    #expect(pool.takesAndGivesBack(4096))
    #expect(pool.takesAndGivesBack(4096))
    #expect(pool.usage.refused == 0)
  }

  @Test func idleSlabsMakeRoomForOtherSizes() {
    let pool = FramePool(budget: 16384)
    #expect(pool.takesAndGivesBack(4096))
    #expect(pool.takesAndGivesBack(16384))
    #expect(pool.usage.allocated == 16384)
  }

  @Test func bytesStayAsWritten() throws {
    let buffer = try #require(FramePool(budget: 8192).buffer(100, filledWith: 7))
    #expect(buffer.count == 100)
    #expect(buffer.withUnsafeBytes { Array($0) } == Array(repeating: 7, count: 100))
  }
}

extension FramePool {
  fileprivate func buffer(_ count: Int, filledWith value: UInt8 = 0) -> FrameBuffer? {
    guard let memory = take(count) else { return nil }
    for index in 0..<count { memory.bytes[index] = value }
    return memory.freeze(count: count)
  }

  /// Takes memory and drops it unfilled.
  fileprivate func takesAndGivesBack(_ count: Int) -> Bool {
    if take(count) != nil { true } else { false }
  }
}
