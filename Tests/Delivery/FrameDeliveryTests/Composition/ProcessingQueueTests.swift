import CaptureTestKit
import Testing

@testable import FrameDelivery

@Suite struct ProcessingQueueTests {
  typealias Queue = ProcessingQueue<UInt64, String>

  /// What left, `"3:box"` with its answer or `"3"` without.
  private func texts(_ exits: [Queue.Exit]) -> [String] {
    exits.map { exit in exit.answer.map { "\(exit.content):\($0)" } ?? "\(exit.content)" }
  }

  private func id(_ sequence: UInt64, _ stream: UInt64 = 1) -> FrameID {
    FrameID(streamID: stream, sequence: sequence)
  }

  @Test func aFrameWaitsForItsAnswerAndNoLongerThanTheDeadline() {
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

  @Test func anAnswerTwiceOrToNoFrameIsLate() {
    var queue = Queue(deadline: 2)
    _ = queue.enter(id(1), 1)
    _ = queue.answer(id(1), "a")
    #expect(
      queue.answer(id(1), "b").isEmpty && queue.answer(id(77), "c").isEmpty && queue.answer(id(1, 9), "d").isEmpty)
    #expect(queue.counts == ProcessingCounts(shown: 1, late: 3))
  }

  @Test func anAnswerThatCannotBeShownIsAsNoneButInTime() {
    var queue = Queue(deadline: 2)
    for sequence in UInt64(1)...2 { _ = queue.enter(id(sequence), sequence) }
    #expect(queue.expects(id(2)) && !queue.expects(id(3)))
    #expect(texts(queue.reject(id(2))) == ["1", "2"])
    #expect(queue.reject(id(2)).isEmpty && !queue.expects(id(2)))
    #expect(queue.counts == ProcessingCounts(late: 1, unanswered: 2))
  }

  @Test func whoeverNeverAnswersIsNotWaitedForUntilItDoes() {
    var queue = Queue(deadline: 3)
    var left: [String] = []
    for sequence in UInt64(1)...33 { left += texts(queue.enter(id(sequence), sequence)) }
    #expect(left == (1...30).map { "\($0)" }, "three wait")
    #expect(texts(queue.enter(id(34), 34)) == ["31", "32", "33", "34"])
    #expect(texts(queue.enter(id(35), 35)) == ["35"], "at once")
    #expect(queue.answer(id(20), "late").isEmpty && queue.answer(id(99), "nothing").isEmpty)
    #expect(texts(queue.enter(id(36), 36)) == ["36"], "an answer too late is none")
    #expect(queue.answer(id(35), "would have been in time").isEmpty)
    #expect(texts(queue.enter(id(37), 37)) == [], "waited for again")
    #expect(texts(queue.answer(id(37), "box")) == ["37:box"])
    #expect(queue.counts == ProcessingCounts(shown: 1, late: 3, unanswered: 36))
  }

  @Test func whoeverIsAlwaysLateIsNotWaitedForEither() {
    var queue = Queue(deadline: 3)
    var left: [String] = []
    for sequence in UInt64(1)...60 {
      left += texts(queue.enter(id(sequence), sequence))
      if sequence > 4 { #expect(queue.answer(id(sequence - 4), "late").isEmpty) }
    }
    #expect(left == (1...60).map { "\($0)" }, "the newest does not wait")
  }

  @Test func whoLeavesEarlyWasNotAnsweredInTime() {
    var queue = Queue(deadline: 3)
    #expect(queue.leaveEarly().isEmpty)
    for sequence in UInt64(1)...30 {
      _ = queue.enter(id(sequence), sequence)
      #expect(texts(queue.leaveEarly()) == ["\(sequence)"])
    }
    #expect(texts(queue.enter(id(31), 31)) == ["31"])
    #expect(queue.counts == ProcessingCounts(unanswered: 31))
  }

  @Test func everyFrameLeavesOnceAndInOrderWhateverComes() {
    // The same course in every run.
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

  @Test func framesOfAFormerStreamAreNotWaitedFor() {
    var queue = Queue(deadline: 4)
    _ = queue.enter(id(1), 1)
    _ = queue.enter(id(2), 2)
    #expect(texts(queue.enter(id(0, 2), 10)) == ["1", "2"])
    #expect(texts(queue.answer(id(0, 2), "box")) == ["10:box"])
  }
}
