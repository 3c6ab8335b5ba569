import Testing

@testable import V4L2Capture

/// Which buffers a frame may keep, and which the driver should get.
@Suite struct BufferLedgerTests {
  /// A ledger of buffers that the driver has.
  private func ledger(of count: UInt32, least: Int) -> BufferLedger {
    var ledger = BufferLedger(least: least)
    for index in 0..<count {
      ledger.add()
      ledger.queued(index)
    }
    return ledger
  }

  /// A frame may keep a buffer as long as the driver has its least number without this buffer.
  @Test func aBufferIsLentWhileTheDriverHasEnough() {
    var ledger = ledger(of: 5, least: 3)
    for index in 0..<2 as Range<UInt32> {
      ledger.take(index)
      #expect(ledger.canLend)
      ledger.lend(index)
    }
    ledger.take(2)
    #expect(!ledger.canLend)
    #expect(ledger.lent == [0, 1] && ledger.unqueued == [2])
  }

  @Test func aNewBufferLetsAnotherFrameKeepItsBuffer() {
    var ledger = ledger(of: 3, least: 3)
    ledger.take(0)
    #expect(!ledger.canLend)
    ledger.add()
    #expect(ledger.unqueued == [0, 3])
    ledger.queued(3)
    #expect(ledger.canLend)
  }

  @Test func aReturnedBufferGoesToTheDriver() {
    var ledger = ledger(of: 4, least: 3)
    ledger.take(2)
    ledger.lend(2)
    #expect(ledger.unqueued.isEmpty)
    ledger.returned(2)
    #expect(ledger.unqueued == [2] && ledger.lent.isEmpty)
  }

  /// A driver may not give back what a frame has, nor what does not exist.
  @Test func aBufferOfAFrameIsNotDequeued() {
    var ledger = ledger(of: 4, least: 3)
    ledger.take(1)
    ledger.lend(1)
    let taken = [1, 4, .max].map { ledger.dequeued($0) }
    #expect(taken == [false, false, false])
  }

  @Test func aDriverWithoutBuffersIsStarved() {
    var ledger = ledger(of: 1, least: 3)
    #expect(!ledger.isStarved)
    ledger.take(0)
    #expect(ledger.isStarved)
  }
}

extension BufferLedger {
  /// Dequeues a buffer that the driver has.
  fileprivate mutating func take(_ index: UInt32) {
    let taken = dequeued(index)
    #expect(taken)
  }
}
