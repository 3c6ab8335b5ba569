import CaptureCore
import SystemClocks
import Testing

@testable import DelayedFeeds

/// Which chunks a slow reader gets, and what it is told of the others.
struct ChunkQueueTests {
  private static func chunk(_ first: UInt64, dropped: DropCounts = DropCounts(), omitted: UInt64 = 0) -> DelayedChunk {
    DelayedChunk(
      start: FrameTime(monotonic: .epoch, wall: .epoch, source: .endOfFrame), duration: 0, frameCount: 10,
      streamID: 1, firstSequence: first, lastSequence: first + 9, dropped: dropped, omitted: omitted,
      size: Size(width: 2, height: 2), byteCount: 1)
  }

  private var queue = ChunkQueue<Int>()

  @Test mutating func aReaderThatKeepsUpGetsEveryChunk() {
    for number in UInt64(1)...5 {
      queue.add(Self.chunk(number * 10, dropped: DropCounts(discontinuity: number)), 0)
      let taken = queue.take()
      #expect(taken?.number == number)
      #expect(taken?.chunk == Self.chunk(number * 10, dropped: DropCounts(discontinuity: number)))
      queue.didSend()
    }
    #expect(queue.take() == nil)
  }

  /// One chunk is on its way and one waits. The numbers of the chunks that are sent stay contiguous.
  @Test mutating func aSlowReaderLosesTheOldestThatWaits() {
    queue.add(Self.chunk(0), 0)
    #expect(queue.take()?.file == 0)
    for file in 1...4 { queue.add(Self.chunk(UInt64(file) * 10, dropped: DropCounts(damaged: 1), omitted: 2), file) }
    queue.didSend()
    let taken = queue.take()
    #expect(taken?.file == 4 && taken?.number == 2)
    #expect(taken?.chunk.dropped == DropCounts(late: 30, damaged: 4))
    #expect(taken?.chunk.omitted == 8)
    queue.didSend()
    #expect(queue.take()?.file == nil)
  }

  @Test mutating func twoChunksWaitForAReaderThatTakesNone() {
    for file in 1...3 { queue.add(Self.chunk(UInt64(file) * 10), file) }
    #expect(queue.take()?.file == 2)
    queue.didSend()
    let last = queue.take()
    #expect(last?.file == 3 && last?.chunk.dropped == DropCounts())
  }
}
