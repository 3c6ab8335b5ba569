import CaptureCore
import Testing

@testable import PhotoCapture

@Suite struct PhotoQueueStateMachineTests {
  typealias Queue = PhotoQueueStateMachine<String, Int>

  static func queue(prepared: Bool = true, maxPending: Int = 10) -> Queue {
    var queue = Queue(maxPending: maxPending)
    _ = queue.sessionDidChange(.running)
    if prepared { queue.setPrepared() }
    return queue
  }

  @Test func readinessWithoutCaptures() {
    var queue = Queue(maxPending: 10)
    #expect(queue.readiness == .sessionNotRunning)
    _ = queue.sessionDidChange(.starting)
    #expect(queue.readiness == .sessionNotRunning)
    _ = queue.sessionDidChange(.running)
    #expect(queue.readiness == .notReadyMomentarily)
    queue.setPrepared()
    #expect(queue.readiness == .ready)
    _ = queue.sessionDidChange(.interrupted)
    #expect(queue.readiness == .sessionNotRunning)
  }

  @Test func readinessOfOneCapture() throws {
    var queue = Self.queue()
    let ticket = try queue.enqueue("a")
    queue.wait(ticket, earliest: 100)
    #expect(queue.readiness == .notReadyWaitingForCapture)
    #expect(queue.frameArrived(at: 100).map(\.1) == ["a"])
    #expect(queue.readiness == .notReadyWaitingForProcessing)
    queue.setReady(ticket, 1)
    _ = queue.next()
    #expect(queue.readiness == .notReadyWaitingForProcessing)
    queue.remove(ticket)
    #expect(queue.readiness == .ready)
  }

  @Test func processedInOrderOneAtATime() throws {
    var queue = Self.queue()
    let (a, b) = (try queue.enqueue("a"), try queue.enqueue("b"))
    queue.wait(a, earliest: 0)
    queue.setReady(b, 2)
    #expect(queue.next() == nil)
    _ = queue.frameArrived(at: 0)
    #expect(queue.next() == nil)
    queue.setReady(a, 1)
    #expect(queue.next()?.1 == "a")
    #expect(queue.next() == nil)
    queue.remove(a)
    let following = queue.next()
    let next = try #require(following)
    #expect(next.1 == "b" && next.2 == 2)
  }

  @Test func nothingIsProcessedUnprepared() throws {
    var queue = Self.queue(prepared: false)
    queue.setReady(try queue.enqueue("a"), 1)
    #expect(queue.next() == nil)
    queue.setPrepared()
    #expect(queue.next()?.1 == "a")
  }

  @Test func waitEndsByTheFirstFrameLateEnough() throws {
    var queue = Self.queue()
    let tickets = try ["a", "b", "c"].map { try queue.enqueue($0) }
    for (ticket, earliest) in zip(tickets, [UInt64(100), 200, 100]) { queue.wait(ticket, earliest: earliest) }
    #expect(queue.frameArrived(at: 99).isEmpty)
    #expect(queue.frameArrived(at: 199).map(\.1) == ["a", "c"])
    #expect(queue.endWait(tickets[0]) == false)
    #expect(queue.endWait(tickets[1]) == true)
    #expect(queue.frameArrived(at: 300).isEmpty)
  }

  @Test func stoppingFailsOnlyWhoWaits() throws {
    for state in [SessionState.stopping, .stopped, .interrupted] {
      var queue = Self.queue()
      let (a, b) = (try queue.enqueue("a"), try queue.enqueue("b"))
      queue.setReady(a, 1)
      queue.wait(b, earliest: 0)
      #expect(queue.sessionDidChange(state) == ["b"])
      #expect(queue.next()?.1 == "a")
    }
  }

  @Test func pendingIsBounded() throws {
    var queue = Self.queue(maxPending: 2)
    let a = try queue.enqueue("a")
    _ = try queue.enqueue("b")
    let error = #expect(throws: CaptureError.self) { try queue.enqueue("c") }
    #expect(error?.reason == .tooManyRequests)
    queue.remove(a)
    _ = try queue.enqueue("c")
  }

  @Test func deferredStartRunsOnce() throws {
    var queue = Self.queue(prepared: false)
    let ticket = try queue.enqueue("a")
    queue.setReady(ticket, 1)
    #expect(queue.beginDeferredStart() == true)
    #expect(queue.beginDeferredStart() == false)
    // It failed: the capture is lost, the next one tries again.
    #expect(queue.endDeferredStart() == ["a"])
    #expect(queue.beginDeferredStart() == true)
    queue.setPrepared()
    #expect(queue.endDeferredStart().isEmpty)
    #expect(queue.beginDeferredStart() == false)
  }

  @Test func closingKeepsOnlyTheOneInProcess() throws {
    var queue = Self.queue()
    let tickets = try ["a", "b", "c", "d"].map { try queue.enqueue($0) }
    queue.setReady(tickets[0], 1)
    queue.setReady(tickets[1], 2)
    queue.wait(tickets[2], earliest: 0)
    _ = queue.next()
    let gone = CaptureError(.outputRemoved, "gone")
    #expect(queue.close(gone) == ["b", "c", "d"])
    #expect(queue.close(CaptureError(.shuttingDown, "too late")).isEmpty)
    #expect(queue.readiness == .sessionNotRunning)
    queue.remove(tickets[0])
    queue.setReady(tickets[3], 4)
    #expect(queue.next() == nil)
    #expect(throws: gone) { try queue.enqueue("e") }
  }
}
