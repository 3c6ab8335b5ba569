import Testing

@testable import VideoStorage

/// Where the bytes of a capture go on their way to the disk.
struct WriteWindowTests {
  private typealias Write = WriteWindow.Write
  private static let block = AlignedBytes.block

  /// Takes bytes and returns the writes of the buffers that they fill.
  private func fill(_ count: Int, _ window: inout WriteWindow) -> [Write] {
    var (left, writes) = (count, [Write]())
    while left > 0 {
      left -= window.take(atMost: left).count
      if let write = window.takeFullBuffer() { writes.append(write) }
    }
    return writes
  }

  @Test func aFullBufferIsWrittenAndTheNextOneFollows() {
    var window = WriteWindow(depth: 2, bufferSize: 2 * Self.block)
    #expect(window.room == 4 * Self.block)
    #expect(fill(100, &window) == [])
    #expect(window.room == 4 * Self.block - 100)
    let writes = fill(2 * Self.block, &window)
    #expect(writes == [Write(buffer: 0, offset: 0, count: 2 * Self.block)])
    #expect(window.size == UInt64(2 * Self.block + 100))
    #expect(window.room == 2 * Self.block - 100)
  }

  @Test func withoutAFreeBufferItIsFullUntilAWriteEnds() {
    var window = WriteWindow(depth: 2, bufferSize: Self.block)
    #expect(fill(2 * Self.block, &window).count == 2)
    #expect(window.isFull)
    #expect(window.room == 0)
    window.complete(1)
    #expect(!window.isFull)
    #expect(window.room == Self.block)
    #expect(window.take(atMost: 10) == (1, 0, 10))
  }

  @Test func aFlushWritesWholeBlocksAndKeepsTheUnfinishedOne() {
    var window = WriteWindow(depth: 2, bufferSize: 4 * Self.block)
    _ = fill(Self.block + 10, &window)
    let flush = window.takeUnfinishedBuffer()
    #expect(flush?.write == Write(buffer: 0, offset: 0, count: 2 * Self.block))
    #expect(flush?.unused == Self.block - 10)
    window.complete(0)
    let kept = window.keepUnfinishedBlock()
    #expect(kept?.buffer == 0)
    #expect(kept?.from == Self.block)
    #expect(window.size == UInt64(Self.block + 10))
    // The next write begins with that block, and ends where a buffer would have ended without the flush.
    let next = fill(3 * Self.block - 10, &window)
    #expect(next == [Write(buffer: 0, offset: UInt64(Self.block), count: 3 * Self.block)])
    #expect(window.size == UInt64(4 * Self.block))
  }

  @Test func aFlushOfWholeBlocksFreesTheBuffer() {
    var window = WriteWindow(depth: 1, bufferSize: 2 * Self.block)
    _ = fill(Self.block, &window)
    #expect(window.takeUnfinishedBuffer()?.unused == 0)
    window.complete(0)
    #expect(window.keepUnfinishedBlock() == nil)
    #expect(window.size == UInt64(Self.block))
    #expect(fill(Self.block, &window) == [Write(buffer: 0, offset: UInt64(Self.block), count: Self.block)])
  }

  @Test func aFlushWithoutBytesWritesNothing() {
    var window = WriteWindow(depth: 1, bufferSize: Self.block)
    #expect(window.takeUnfinishedBuffer() == nil)
    #expect(window.keepUnfinishedBlock() == nil)
    #expect(window.room == Self.block)
  }
}
