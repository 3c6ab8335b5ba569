import CaptureCore
import Testing

/// The limit only ends a broken test: what it waits for would never come.
@Suite(.timeLimit(.minutes(2))) struct MailboxTests {
  @Test func elementsComeInOrder() {
    let mailbox = Mailbox<Int>(depth: 3)
    for number in 1...3 { #expect(mailbox.put(number) == nil) }
    #expect([mailbox.take(), mailbox.take(), mailbox.take()] == [1, 2, 3])
  }

  @Test func theOldestMakesRoom() {
    let mailbox = Mailbox<Int>(depth: 2)
    #expect([1, 2, 3, 4].map { mailbox.put($0) } == [nil, nil, 1, 2])
    #expect([mailbox.take(), mailbox.take()] == [3, 4])
  }

  @Test func closingDropsWhatWaitsAndTakesNothing() {
    let mailbox = Mailbox<Int>(depth: 2)
    mailbox.put(1)
    mailbox.close()
    mailbox.close()
    #expect(mailbox.take() == nil)
    #expect(mailbox.put(2) == 2)
    #expect(mailbox.take() == nil)
  }

  @Test func takingWaitsOnAnotherThread() async throws {
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
