import CaptureCore
import Glibc
import Synchronization
import Testing

/// Tests how a pool takes, reuses, lends and limits the memory of frames. A camera that finds no memory drops frames.
@Suite struct FramePoolTests {
  /// After `populate()`, every page of a buffer is resident, so that the capture thread causes no page faults. The
  /// offset of 2048 bytes makes a buffer that begins within a page, as buffers do on machines whose pages are larger
  /// than 4 KiB.
  @Test(arguments: [0, 2048]) func populateMakesEveryPageResident(offset: Int) throws {
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

  /// The pool lends the budget without the part that it keeps. Several loans of one buffer count its bytes once, until
  /// the last of these loans ends.
  @Test func thePoolLendsOnlyMemoryThatIsNotKept() throws {
    let pool = FramePool(budget: 5 * 4096, kept: 4096)
    let first = try #require(pool.buffer(4096))
    let second = try #require(pool.buffer(100))
    #expect(first.leavesRoom(for: 4) && !first.leavesRoom(for: 5), "memory that was taken does not count as lent")
    var loans = [FrameLoan(first), FrameLoan(first), FrameLoan(second)]
    #expect(first.leavesRoom(for: 2) && !first.leavesRoom(for: 3), "two loans of one buffer count its bytes once")
    loans.removeFirst()
    #expect(!first.leavesRoom(for: 3))
    loans.removeFirst()
    #expect(first.leavesRoom(for: 3))
    loans = []
    #expect(first.leavesRoom(for: 4))
  }

  /// While at most half of the lendable memory is lent, any loan is spare. Beyond this half, a loan is spare only when
  /// the buffer has another loan anyway, because the other half is for users that cannot do without their loans.
  @Test func beyondHalfOnlyABufferWithAnotherLoanIsSpare() throws {
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

  /// A frame in a lender's memory counts while it lives, and takes the place of unused slabs. The lender gets its
  /// memory back with the last reference.
  @Test func adoptedMemoryCountsUntilItsLenderHasIt() throws {
    final class Lender: FrameLender {
      let returned = Atomic<Int>(0)
      func takeBack() { returned.add(1, ordering: .relaxed) }
    }
    let lender = Lender()
    let base = UnsafeMutableRawPointer.allocate(byteCount: 8192, alignment: 4096)
    defer { base.deallocate() }
    let slab = FrameMemory.Slab(base: base, capacity: 8192)
    let pool = FramePool(budget: 3 * 4096)
    _ = pool.buffer(2 * 4096)
    var frame = pool.adopt(slab, count: 100, from: lender)
    #expect(frame?.count == 100 && frame?.slab.number == slab.number)
    #expect(pool.usage.allocated == 8192)
    #expect(pool.hasRoom(for: 4096) && !pool.hasRoom(for: 4097))
    #expect(pool.adopt(slab, count: 100, from: lender) == nil, "the budget has no room")
    #expect(lender.returned.load(ordering: .relaxed) == 0)
    frame = nil
    #expect(lender.returned.load(ordering: .relaxed) == 1)
    #expect(pool.usage.allocated == 0)
  }

  /// A pool whose budget is used up refuses memory and counts the refusal.
  @Test func neverExceedsItsBudget() {
    let pool = FramePool(budget: 3 * 8192)
    let buffers = (0..<3).compactMap { _ in pool.buffer(5000) }
    #expect(buffers.count == 3)
    #expect(pool.buffer(1) == nil)
    #expect(pool.usage.allocated == 3 * 8192)
    #expect(pool.usage.refused == 1)
    withExtendedLifetime(buffers) {}
  }

  /// `provide` allocates only as many slabs as are missing, stops at the budget, and does not count that as a refusal.
  @Test func provideAllocatesOnlyMissingSlabsWithinTheBudget() {
    let pool = FramePool(budget: 4 * 8192)
    let inUse = pool.buffer(8192)
    pool.provide(2, of: 5000)
    #expect(pool.usage.allocated == 3 * 8192)
    pool.provide(2, of: 8192)
    #expect(pool.usage.allocated == 3 * 8192, "the two slabs are free already")
    pool.provide(9, of: 8192)
    #expect(pool.usage.allocated == 4 * 8192 && pool.usage.refused == 0)
    withExtendedLifetime(inUse) {}
  }

  /// A buffer's memory returns to the pool when the last reference to the buffer is gone, and not before.
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

  /// The pool gives a free slab out again for the same size and for sizes down to half of the slab's size. A smaller
  /// picture gets a slab of its own, so that the picture does not occupy a large slab.
  @Test func reusesTheSameMemory() {
    let pool = FramePool(budget: 1 << 20)
    func address(_ bytes: Int) -> UInt? { pool.buffer(bytes)?.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) } }
    let first = address(100_000)
    #expect(address(100_000) == first)
    #expect(address(60_000) == first, "a slab serves sizes down to half of its own")
    #expect(address(4096) != first)
    #expect(pool.usage.allocated == 102_400 + 4096)
  }

  /// A buffer that was taken and never became a frame returns its memory to the pool.
  @Test func memoryThatWasTakenAndNotUsedReturnsToThePool() {
    let pool = FramePool(budget: 4096)
    #expect(pool.takesAndGivesBack(4096))
    #expect(pool.takesAndGivesBack(4096))
    #expect(pool.usage.refused == 0)
  }

  /// When a free slab of another size fills the budget, the pool frees that slab and allocates one of the new size.
  @Test func freeSlabsAreFreedToMakeRoomForOtherSizes() {
    let pool = FramePool(budget: 16384)
    #expect(pool.takesAndGivesBack(4096))
    #expect(pool.takesAndGivesBack(16384))
    #expect(pool.usage.allocated == 16384)
  }

  /// A frozen buffer has the bytes that were written before, and no more bytes than the count says.
  @Test func bytesStayAsWritten() throws {
    let buffer = try #require(FramePool(budget: 8192).buffer(100, filledWith: 7))
    #expect(buffer.count == 100)
    #expect(buffer.withUnsafeBytes { Array($0) } == Array(repeating: 7, count: 100))
  }
}

extension FramePool {
  /// A buffer of `count` bytes of `value`; nil when the pool's budget is used up.
  fileprivate func buffer(_ count: Int, filledWith value: UInt8 = 0) -> FrameBuffer? {
    guard let memory = take(count) else { return nil }
    for index in 0..<count { memory.bytes[index] = value }
    return memory.freeze(count: count)
  }

  /// Takes memory and gives it back unused.
  ///
  /// - Returns: whether the pool had memory.
  fileprivate func takesAndGivesBack(_ count: Int) -> Bool {
    if take(count) != nil { true } else { false }
  }
}
