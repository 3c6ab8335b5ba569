import CaptureTestKit
import Testing

@testable import FrameDelivery

/// The frames of a preview that wait for the answers of a program.
@Suite struct ProcessingQueueTests {
  typealias Queue = ProcessingQueue<UInt64, String>

  /// The frames that left the queue: `"3:box"` for frame 3 with the answer "box", and `"3"` for frame 3 without an
  /// answer.
  private func texts(_ exits: [Queue.Exit]) -> [String] {
    exits.map { exit in exit.answer.map { "\(exit.content):\($0)" } ?? "\(exit.content)" }
  }

  private func id(_ sequence: UInt64, _ stream: UInt64 = 1) -> FrameID {
    FrameID(streamID: stream, sequence: sequence)
  }

  /// A frame waits for at most two newer frames here. An answer lets the frames before its frame leave too.
  @Test func aFrameWaitsForItsAnswerUntilTheDeadline() {
    var queue = Queue(deadline: 2)
    #expect(texts(queue.enter(id(1), 1)) == [])
    #expect(texts(queue.answer(id(1), "box")) == ["1:box"])
    #expect(texts(queue.enter(id(2), 2)) == [])
    #expect(texts(queue.enter(id(3), 3)) == [])
    #expect(texts(queue.enter(id(4), 4)) == ["2"])
    #expect(texts(queue.answer(id(2), "late")) == [])
    #expect(texts(queue.answer(id(4), "box")) == ["3", "4:box"], "in order")
    #expect(queue.counts == ProcessingCounts(shown: 2, late: 1, unanswered: 2))
  }

  /// A second answer to a frame, an answer to a frame that never came, and an answer to a frame of another stream count
  /// as late.
  @Test func anAnswerWithoutAWaitingFrameIsLate() {
    var queue = Queue(deadline: 2)
    _ = queue.enter(id(1), 1)
    _ = queue.answer(id(1), "a")
    #expect(
      queue.answer(id(1), "b").isEmpty && queue.answer(id(77), "c").isEmpty && queue.answer(id(1, 9), "d").isEmpty)
    #expect(queue.counts == ProcessingCounts(shown: 1, late: 3))
  }

  /// The frames up to the one whose answer cannot be shown leave without an answer. They count as unanswered, not as
  /// late.
  @Test func aRejectedAnswerLetsItsFrameLeaveWithoutAnAnswer() {
    var queue = Queue(deadline: 2)
    for sequence in UInt64(1)...2 { _ = queue.enter(id(sequence), sequence) }
    #expect(queue.expects(id(2)) && !queue.expects(id(3)))
    #expect(texts(queue.reject(id(2))) == ["1", "2"])
    #expect(queue.reject(id(2)).isEmpty && !queue.expects(id(2)))
    #expect(queue.counts == ProcessingCounts(late: 1, unanswered: 2))
  }

  /// After 30 frames in a row without an answer in time, frames do not wait any more, so that a stuck program does not
  /// delay the preview. An answer that would have been in time makes frames wait again.
  @Test func framesDoNotWaitForASilentProgramUntilItAnswersInTime() {
    var queue = Queue(deadline: 3)
    var left: [String] = []
    for sequence in UInt64(1)...33 { left += texts(queue.enter(id(sequence), sequence)) }
    #expect(left == (1...30).map { "\($0)" }, "three frames wait")
    #expect(texts(queue.enter(id(34), 34)) == ["31", "32", "33", "34"])
    #expect(texts(queue.enter(id(35), 35)) == ["35"], "at once")
    #expect(queue.answer(id(20), "late").isEmpty && queue.answer(id(99), "nothing").isEmpty)
    #expect(texts(queue.enter(id(36), 36)) == ["36"], "a late answer makes no frame wait")
    #expect(queue.answer(id(35), "would have been in time").isEmpty)
    #expect(texts(queue.enter(id(37), 37)) == [], "frames wait again")
    #expect(texts(queue.answer(id(37), "box")) == ["37:box"])
    #expect(queue.counts == ProcessingCounts(shown: 1, late: 3, unanswered: 36))
  }

  /// Each answer comes just after its frame has left. Waiting would only delay every frame, so after 30 frames none
  /// waits.
  @Test func framesDoNotWaitForAProgramThatIsAlwaysLate() {
    var queue = Queue(deadline: 3)
    var left: [String] = []
    for sequence in UInt64(1)...60 {
      left += texts(queue.enter(id(sequence), sequence))
      if sequence > 4 { #expect(queue.answer(id(sequence - 4), "late").isEmpty) }
    }
    #expect(left == (1...60).map { "\($0)" }, "the newest frame does not wait")
  }

  /// A frame that leaves early for want of memory counts as one without an answer in time. After 30 such frames, frames
  /// do not wait any more.
  @Test func aFrameThatLeavesEarlyCountsAsUnanswered() {
    var queue = Queue(deadline: 3)
    #expect(queue.leaveEarly().isEmpty)
    for sequence in UInt64(1)...30 {
      _ = queue.enter(id(sequence), sequence)
      #expect(texts(queue.leaveEarly()) == ["\(sequence)"])
    }
    #expect(texts(queue.enter(id(31), 31)) == ["31"])
    #expect(queue.counts == ProcessingCounts(unanswered: 31))
  }

  /// Random frames, answers and rejections, in 200 queues with every deadline. No frame is lost, shown twice or
  /// overtaken.
  @Test func everyFrameLeavesOnceAndInOrder() {
    // The seed gives the same course in every run.
    var generator = SeededGenerator(seed: 1)
    for seed in UInt64(0)..<200 {
      var queue = Queue(deadline: Int(seed % 8) + 1)
      var left: [UInt64] = []
      var sequence: UInt64 = 0
      for _ in 0..<300 {
        if Bool.random(using: &generator) {
          sequence += 1
          left += queue.enter(id(sequence), sequence).map(\.content)
          #expect(left.count + queue.deadline >= Int(sequence))
        } else {
          let answered = UInt64.random(in: 0...sequence + 1, using: &generator)
          let isShown = Bool.random(using: &generator)
          left += (isShown ? queue.answer(id(answered), "x") : queue.reject(id(answered))).map(\.content)
        }
      }
      left += queue.drain().map(\.content)
      #expect(left == Array(1..<sequence + 1))
      #expect(queue.counts.shown + queue.counts.unanswered == sequence)
    }
  }

  /// A program cannot answer frames of a former stream any more, so they leave with the first frame of the next stream.
  @Test func framesOfAFormerStreamLeaveWithTheNextStream() {
    var queue = Queue(deadline: 4)
    _ = queue.enter(id(1), 1)
    _ = queue.enter(id(2), 2)
    #expect(texts(queue.enter(id(0, 2), 10)) == ["1", "2"])
    #expect(texts(queue.answer(id(0, 2), "box")) == ["10:box"])
  }
}
