import CaptureCore
import Testing

@testable import V4L2Capture

@Suite struct SequenceTrackerTests {
  @Test func consecutiveNumbersMissNothing() {
    var tracker = SequenceTracker()
    for number in UInt32(7)...9 {
      let (sequence, missing) = tracker.publish(number)
      #expect(sequence == UInt64(number))
      #expect(missing == DropCounts())
    }
  }

  @Test func aGapIsADiscontinuity() {
    var tracker = SequenceTracker()
    _ = tracker.publish(1)
    let (sequence, missing) = tracker.publish(5)
    #expect(sequence == 5)
    #expect(missing == DropCounts(discontinuity: 3))
  }

  @Test func numbersGoOnBeyond32Bits() {
    var tracker = SequenceTracker()
    _ = tracker.publish(0xffff_fffe)
    #expect(tracker.publish(0xffff_ffff) == (0xffff_ffff, DropCounts()))
    #expect(tracker.publish(0) == (0x1_0000_0000, DropCounts()))
    #expect(tracker.publish(2) == (0x1_0000_0002, DropCounts(discontinuity: 1)))
  }

  @Test func aDamagedBufferInsideAGapIsCountedOnce() {
    var tracker = SequenceTracker()
    _ = tracker.publish(0)
    tracker.lose(.damaged)
    #expect(tracker.publish(2) == (2, DropCounts(damaged: 1)))
  }

  @Test func aGapBesidesLostBuffersIsCountedToo() {
    var tracker = SequenceTracker()
    _ = tracker.publish(0)
    tracker.lose(.outOfBuffers)
    tracker.lose(.damaged)
    #expect(tracker.publish(6) == (6, DropCounts(outOfBuffers: 1, discontinuity: 3, damaged: 1)))
    #expect(tracker.publish(7) == (7, DropCounts()))
  }

  @Test func buffersLostBeforeTheFirstFrameAreReported() {
    var tracker = SequenceTracker()
    tracker.lose(.damaged)
    tracker.lose(.outOfBuffers)
    #expect(tracker.publish(2) == (2, DropCounts(outOfBuffers: 1, damaged: 1)))
  }

  @Test func aDriverThatDoesNotCountIsCountedFor() {
    var tracker = SequenceTracker()
    #expect(tracker.publish(0) == (0, DropCounts()))
    #expect(tracker.publish(0) == (1, DropCounts()))
    tracker.lose(.outOfBuffers)
    #expect(tracker.publish(0) == (3, DropCounts(outOfBuffers: 1)))
  }

  @Test func theFirstNumberRepeatedOnceIsNoFrame() {
    var tracker = SequenceTracker()
    _ = tracker.publish(0)
    #expect(tracker.repeats(0) == true)
    #expect(tracker.repeats(1) == false)
    #expect(tracker.publish(1) == (1, DropCounts()))
  }

  @Test func theFirstNumberRepeatedTwiceMeansThatThereAreNone() {
    var tracker = SequenceTracker()
    _ = tracker.publish(0)
    #expect(tracker.repeats(0) == true)
    #expect(tracker.repeats(0) == false)
    #expect(tracker.publish(0) == (2, DropCounts(discontinuity: 1)))
    #expect(tracker.repeats(0) == false)
    #expect(tracker.publish(0) == (3, DropCounts()))
  }

  @Test func aDriverThatCountsAtLastRepeatsANumber() {
    var tracker = SequenceTracker()
    _ = tracker.publish(0)
    _ = tracker.publish(5)
    #expect(tracker.repeats(5) == true)
    #expect(tracker.repeats(6) == false)
    _ = tracker.publish(6)
    #expect(tracker.repeats(5) == false)
  }

  @Test func aDriverThatStartsAgainNeverGoesBack() {
    var tracker = SequenceTracker()
    _ = tracker.publish(100)
    #expect(tracker.publish(3) == (102, DropCounts(discontinuity: 1)))
    #expect(tracker.publish(4) == (103, DropCounts()))
    tracker.lose(.damaged)
    #expect(tracker.publish(0) == (106, DropCounts(discontinuity: 1, damaged: 1)))
  }

  @Test(arguments: [[0, 1, 2], [0, 5, 6, 20], [0xffff_fff0, 3, 9], [9, 9, 9], [50, 2, 3, 90]] as [[UInt32]])
  func deliveredPlusMissingIsProduced(_ numbers: [UInt32]) {
    var tracker = SequenceTracker()
    let first = tracker.publish(numbers[0]).sequence
    var last = first
    var accounted: UInt64 = 0
    for number in numbers.dropFirst() {
      tracker.lose(.outOfBuffers)
      let (sequence, missing) = tracker.publish(number)
      #expect(sequence > last)
      last = sequence
      accounted += 1 + missing.total
    }
    #expect(accounted == last - first)
  }
}
