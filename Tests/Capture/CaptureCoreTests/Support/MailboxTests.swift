import CaptureCore
import Testing

/// Tests how elements pass through a bounded mailbox to a worker thread. The time limit only ends a broken test, in
/// which a thread would wait for an element forever.
@Suite(.timeLimit(.minutes(2))) struct MailboxTests {
  @Test func elementsComeInOrder() {
    let mailbox = Mailbox<Int>(depth: 3)
    for number in 1...3 { #expect(mailbox.put(number) == nil) }
    #expect([mailbox.take(), mailbox.take(), mailbox.take()] == [1, 2, 3])
  }

  /// When the mailbox is full, putting an element returns the oldest one, which no thread will take, so that the caller
  /// can count it as dropped.
  @Test func aFullMailboxDropsItsOldestElement() {
    let mailbox = Mailbox<Int>(depth: 2)
    #expect([1, 2, 3, 4].map { mailbox.put($0) } == [nil, nil, 1, 2])
    #expect([mailbox.take(), mailbox.take()] == [3, 4])
  }

  /// After closing, taking returns nil even if elements waited, and putting returns the element. Closing twice is
  /// harmless.
  @Test func aClosedMailboxDropsItsElementsAndAcceptsNone() {
    let mailbox = Mailbox<Int>(depth: 2)
    mailbox.put(1)
    mailbox.close()
    mailbox.close()
    #expect(mailbox.take() == nil)
    #expect(mailbox.put(2) == 2)
    #expect(mailbox.take() == nil)
  }

  /// A thread that takes from an empty mailbox waits until an element comes, and ends when the mailbox is closed.
  @Test func aThreadInTakeWaitsForEachElement() async throws {
    let (there, back) = (Mailbox<Int>(depth: 1), AsyncStream.makeStream(of: Int?.self))
    try WorkerThread.start(name: "mailbox test, cut") {
      repeat {
        let taken = there.take()
        back.continuation.yield(taken)
        if taken == nil { break }
      } while true
      back.continuation.finish()
    }
    var answers = back.stream.makeAsyncIterator()
    for number in 1...100 {
      there.put(number)
      #expect(await answers.next() == .some(.some(number)))
    }
    there.close()
    #expect(await answers.next() == .some(.none))
    #expect(await answers.next() == nil)
  }
}
