import CaptureCore
import Testing

@testable import V4L2Capture

/// How the driver's 32-bit numbers become 64-bit sequence numbers that only grow, and how missing frames are counted.
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

  /// The number of a damaged buffer lies in the gap before the next frame. It counts as damaged and not as a
  /// discontinuity as well.
  @Test func aDamagedBufferInsideAGapIsCountedOnce() {
    var tracker = SequenceTracker()
    _ = tracker.publish(0)
    tracker.lose(.damaged)
    #expect(tracker.publish(2) == (2, DropCounts(damaged: 1)))
  }

  /// Of the numbers that are missing, those of lost buffers count by their cause, and the rest as discontinuities.
  @Test func aGapBeyondLostBuffersIsADiscontinuity() {
    var tracker = SequenceTracker()
    _ = tracker.publish(0)
    tracker.lose(.outOfBuffers)
    tracker.lose(.damaged)
    #expect(tracker.publish(6) == (6, DropCounts(outOfBuffers: 1, discontinuity: 3, damaged: 1)))
    #expect(tracker.publish(7) == (7, DropCounts()))
  }

  /// The first frame counts the buffers that were lost since the start of the stream.
  @Test func buffersLostBeforeTheFirstFrameAreReported() {
    var tracker = SequenceTracker()
    tracker.lose(.damaged)
    tracker.lose(.outOfBuffers)
    #expect(tracker.publish(2) == (2, DropCounts(outOfBuffers: 1, damaged: 1)))
  }

  /// Some drivers give every frame the number 0. The tracker then numbers the frames itself.
  @Test func framesOfADriverThatDoesNotCountAreNumbered() {
    var tracker = SequenceTracker()
    #expect(tracker.publish(0) == (0, DropCounts()))
    #expect(tracker.publish(0) == (1, DropCounts()))
    tracker.lose(.outOfBuffers)
    #expect(tracker.publish(0) == (3, DropCounts(outOfBuffers: 1)))
  }

  /// Nearly every driver counts, so the first repetition of a stream's first number counts as a repetition of the
  /// frame.
  @Test func theFirstRepetitionOfTheFirstNumberIsNoFrame() {
    var tracker = SequenceTracker()
    _ = tracker.publish(0)
    #expect(tracker.repeats(0) == true)
    #expect(tracker.repeats(1) == false)
    #expect(tracker.publish(1) == (1, DropCounts()))
  }

  /// The second repetition shows that the driver does not count, and that the first repetition was a frame. That frame
  /// is lost and counts as a discontinuity.
  @Test func theSecondRepetitionShowsThatTheDriverDoesNotCount() {
    var tracker = SequenceTracker()
    _ = tracker.publish(0)
    #expect(tracker.repeats(0) == true)
    #expect(tracker.repeats(0) == false)
    #expect(tracker.publish(0) == (2, DropCounts(discontinuity: 1)))
    #expect(tracker.repeats(0) == false)
    #expect(tracker.publish(0) == (3, DropCounts()))
  }

  /// Once a driver has given two different numbers, a repeated number is always a repetition of the frame.
  @Test func aRepetitionByADriverThatCountsIsNoFrame() {
    var tracker = SequenceTracker()
    _ = tracker.publish(0)
    _ = tracker.publish(5)
    #expect(tracker.repeats(5) == true)
    #expect(tracker.repeats(6) == false)
    _ = tracker.publish(6)
    #expect(tracker.repeats(5) == false)
  }

  /// When the driver begins to count anew, sequence numbers go on growing, and the jump counts as a discontinuity.
  @Test func sequenceNumbersNeverGoBack() {
    var tracker = SequenceTracker()
    _ = tracker.publish(100)
    #expect(tracker.publish(3) == (102, DropCounts(discontinuity: 1)))
    #expect(tracker.publish(4) == (103, DropCounts()))
    tracker.lose(.damaged)
    #expect(tracker.publish(0) == (106, DropCounts(discontinuity: 1, damaged: 1)))
  }

  /// From the first frame on, published and missing frames together are all frames that the camera produced.
  @Test(arguments: [[0, 1, 2], [0, 5, 6, 20], [0xffff_fff0, 3, 9], [9, 9, 9], [50, 2, 3, 90]] as [[UInt32]])
  func publishedAndMissingFramesAreAllFrames(_ numbers: [UInt32]) {
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

  /// Parameter sets in a buffer of their own have a number, and are no frame.
  @Test func aBufferWithoutAPictureIsNoLoss() {
    var tracker = SequenceTracker()
    tracker.pass(0)
    _ = tracker.publish(1)
    tracker.pass(2)
    let (sequence, missing) = tracker.publish(3)
    #expect(sequence == 3 && missing.total == 0)
    // A frame that was lost between two of them still counts.
    tracker.pass(5)
    #expect(tracker.publish(6).missing.total == 2)
  }
}
