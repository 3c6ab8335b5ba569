import CaptureCore
import CaptureTestKit
import SystemClocks
import Testing

@testable import PhotoCapture

/// Tests when captures begin, wait for frames, are processed and end, without threads.
@Suite struct CapturePlacesTests {
  typealias Queue = CapturePlaces

  static func queue(
    responsive: Bool = false, prepared: Bool = true, maxPending: Int = 10
  ) -> Queue {
    var queue = Queue(maxPending: maxPending, features: PhotoFeatures(responsiveCapture: responsive))
    _ = queue.sessionDidChange(.running)
    if prepared { queue.setPrepared() }
    queue.maxProcessing = 3
    return queue
  }

  @Test("H6: without responsive capture, the next capture begins only when the one before was delivered")
  func theNextBeginsAfterTheDelivery() {
    var queue = Self.queue()
    queue.enqueue("a", held: 1)
    queue.enqueue("b", held: 2)
    let turns = queue.beginNext()
    #expect(turns.map(\.job.uniqueID) == ["a"] && turns[0].isImmediate)
    queue.setCaptured(turns[0].ticket, 1)
    #expect(queue.next()?.1.uniqueID == "a")
    #expect(queue.next() == nil && queue.beginNext().isEmpty)
    queue.finish(turns[0].ticket, .success([]))
    #expect(queue.beginNext().isEmpty)
    let delivery = queue.nextDelivery()
    #expect(delivery?.1.uniqueID == "a" && queue.nextDelivery() == nil)
    queue.remove(turns[0].ticket)
    let next = queue.beginNext()
    #expect(next.map(\.job.uniqueID) == ["b"] && next[0].held?.captured.frame.sequence == 2 && !next[0].isImmediate)
  }

  @Test("J6: up to three captures overlap, and they are delivered in the order of their requests")
  func capturesOverlapAndAreDeliveredInOrder() throws {
    var queue = Self.queue(responsive: true)
    for (index, job) in ["a", "b", "c", "d"].enumerated() { queue.enqueue(job, held: UInt64(index)) }
    let turns = queue.beginNext()
    #expect(turns.map(\.job.uniqueID) == ["a", "b", "c"])
    for turn in turns { queue.setCaptured(turn.ticket, turn.held!) }
    #expect(queue.readyCount == 3)
    for job in ["a", "b", "c"] { #expect(queue.next()?.1.uniqueID == job) }
    queue.finish(turns[2].ticket, .success([]))
    queue.finish(turns[1].ticket, .failure(CaptureError(.processingFailed, "on purpose")))
    #expect(queue.nextDelivery() == nil, "the queue delivers nothing before a is finished")
    queue.finish(turns[0].ticket, .success([]))
    for turn in turns {
      let delivery = queue.nextDelivery()
      #expect(delivery?.0 == turn.ticket)
      queue.remove(turn.ticket)
    }
    #expect(queue.beginNext().map(\.job.uniqueID) == ["d"])
  }

  @Test("J9: the queue processes no more captures at once than memory allows") func processingIsBoundedByMemory() {
    var queue = Self.queue(responsive: true)
    queue.maxProcessing = 1
    for job in ["a", "b"] { queue.enqueue(job, held: 1) }
    let tickets = queue.beginNext().map(\.ticket)
    for ticket in tickets { queue.setCaptured(ticket, 1) }
    #expect(queue.next()?.1.uniqueID == "a" && queue.next() == nil)
    queue.setEncoding(tickets[0])
    #expect(queue.next()?.1.uniqueID == "b")
  }

  @Test("J6: a capture that may not overlap with others is alone in flight") func aCaptureWithoutOverlapIsAlone() {
    var queue = Self.queue(responsive: true)
    queue.enqueue("a", held: 1)
    queue.enqueue("raw", .init(overlaps: false), held: 2)
    queue.enqueue("c", held: 3)
    let first = queue.beginNext()
    #expect(first.map(\.job.uniqueID) == ["a"])
    queue.remove(first[0].ticket)
    let second = queue.beginNext()
    #expect(second.map(\.job.uniqueID) == ["raw"])
    #expect(queue.beginNext().isEmpty)
    queue.remove(second[0].ticket)
    #expect(queue.beginNext().map(\.job.uniqueID) == ["c"])
  }

  @Test("C10: before the output is prepared, captures begin only with responsive capture, and none is processed")
  func capturesBeforeThePreparation() {
    for responsive in [false, true] {
      var queue = Self.queue(responsive: responsive, prepared: false)
      queue.enqueue("a", held: 1)
      queue.enqueue("b", held: 2)
      let begun = queue.beginNext()
      #expect(begun.map(\.job.uniqueID) == (responsive ? ["a", "b"] : []))
      for turn in begun { queue.setCaptured(turn.ticket, turn.held!) }
      #expect(queue.next() == nil && queue.readyCount == 0)
      queue.setPrepared()
      for turn in queue.beginNext() { queue.setCaptured(turn.ticket, turn.held!) }
      #expect(queue.next()?.1.uniqueID == "a")
    }
  }

  @Test("a capture takes the first frame that the camera captured at the earliest time or later")
  func theFirstFrameLateEnoughEndsTheWait() {
    var queue = Self.queue(responsive: true)
    for job in ["a", "b", "c"] { queue.enqueue(job) }
    let tickets = queue.beginNext().map(\.ticket)
    for (ticket, earliest) in zip(tickets, [MonotonicInstant(nanoseconds: 100), 200, 100]) {
      queue.wait(ticket, earliest: earliest)
    }
    #expect(queue.frameArrived(at: 99) { _ in true }.isEmpty)
    #expect(queue.frameArrived(at: 199) { _ in true }.map(\.1.uniqueID) == ["a", "c"])
    #expect(queue.endWait(tickets[0]) == false)
    #expect(queue.endWait(tickets[1]) == true)
    #expect(queue.frameArrived(at: 300) { _ in true }.isEmpty)
  }

  @Test("a capture gathers the frames that it misses before it is processed") func framesThatFollowAreGathered() {
    var queue = Self.queue()
    queue.enqueue("a")
    let ticket = queue.beginNext()[0].ticket
    queue.setCaptured(ticket, 1, missing: 2)
    #expect(queue.next() == nil)
    _ = queue.frameArrived(at: 1) { $0.add(TestedQueue.frame(2).frame) }
    #expect(queue.next() == nil)
    _ = queue.frameArrived(at: 2) { $0.add(TestedQueue.frame(3).frame) }
    let held = queue.next()?.2
    #expect(held?.captured.frame.sequence == 1 && held?.neighbours.map(\.frame.sequence) == [2, 3])
    _ = queue.frameArrived(at: 3) { _ in
      #expect(Bool(false), "a capture that has all its frames takes no more")
      return false
    }
  }

  @Test("a capture is processed without the frames that it misses when no further frame may follow")
  func gatheringEndsWhenNoFrameMayFollow() {
    var queue = Self.queue()
    queue.enqueue("a")
    queue.setCaptured(queue.beginNext()[0].ticket, 1, missing: 7)
    _ = queue.frameArrived(at: 1) {
      _ = $0.add(TestedQueue.frame(2).frame)
      return false
    }
    let held = queue.next()?.2
    #expect(held?.captured.frame.sequence == 1 && held?.neighbours.map(\.frame.sequence) == [2])
  }

  /// The output wakes as many photo threads as the ready count says. A higher count would wake a thread without work.
  @Test("the ready count leaves out a capture that the queue may not process yet") func readyCountIsBounded() {
    var queue = Self.queue(responsive: true)
    queue.maxProcessing = 1
    for job in ["a", "b"] { queue.enqueue(job, held: 1) }
    let tickets = queue.beginNext().map(\.ticket)
    for ticket in tickets { queue.setCaptured(ticket, 1) }
    #expect(queue.readyCount == 1)
    _ = queue.next()
    #expect(queue.readyCount == 0 && queue.next() == nil)
    queue.setEncoding(tickets[0])
    #expect(queue.readyCount == 1)
  }

  @Test("a session that stops removes only the captures that have no frame")
  func stoppingRemovesCapturesWithoutAFrame() {
    for state in [SessionState.stopping, .stopped, .interrupted] {
      var queue = Self.queue(responsive: true)
      queue.enqueue("a", held: 1)
      queue.enqueue("b")
      queue.enqueue("c")
      queue.enqueue("d")
      let tickets = queue.beginNext().map(\.ticket)
      queue.setCaptured(tickets[0], 1)
      queue.wait(tickets[1], earliest: 0)
      queue.setCaptured(tickets[2], 3, missing: 5)
      #expect(queue.sessionDidChange(state).map(\.uniqueID) == ["b", "d"])
      #expect(queue.next()?.1.uniqueID == "a")
      #expect(queue.next()?.1.uniqueID == "c", "c goes on with the frame that it has")
    }
  }

  /// A shot that has its frames by then is processed. Otherwise the output abandons the shot itself.
  @Test("a session that stops does not remove a shot") func aShotEndsByItselfWhenTheSessionStops() {
    for state in [SessionState.stopping, .stopped, .interrupted] {
      for hasFrames in [false, true] {
        var queue = Self.queue()
        queue.enqueue("shot", .init(overlaps: false, waitsForSensor: true, setsCamera: true))
        queue.enqueue("next")
        let ticket = queue.beginNext()[0].ticket
        queue.shoot(ticket)
        #expect(queue.sessionDidChange(state).map(\.uniqueID) == ["next"])
        if hasFrames {
          queue.setCaptured(ticket, 1)
          #expect(queue.next()?.1.uniqueID == "shot")
        } else {
          #expect(queue.abandon(ticket) == true && queue.isIdle)
        }
      }
    }
  }

  @Test("a disabled connection removes the shot under way and the capture that is queued")
  func aDisabledConnectionRemovesShots() {
    var queue = Self.queue()
    for job in ["shot", "next"] { queue.enqueue(job, .init(setsCamera: true)) }
    let ticket = queue.beginNext()[0].ticket
    queue.shoot(ticket)
    #expect(queue.removeWaitingAndShooting().map(\.uniqueID) == ["shot", "next"])
    #expect(queue.abandon(ticket) == false)
  }

  @Test("at its deadline, a capture without a frame is removed, and one with a frame goes on with what it has")
  func deadlinesEndTheWait() {
    var queue = Self.queue(responsive: true)
    for job in ["a", "b", "c"] { queue.enqueue(job) }
    let tickets = queue.beginNext().map(\.ticket)
    #expect(queue.nextDeadline == nil)
    queue.wait(tickets[0], earliest: 0, deadline: 50)
    queue.wait(tickets[1], earliest: 60, deadline: 70)
    queue.setCaptured(tickets[2], 3, missing: 5, deadline: 60)
    #expect(queue.nextDeadline == 50)
    #expect(queue.removeLate(at: 49).isEmpty)
    #expect(queue.removeLate(at: 50).map(\.uniqueID) == ["a"] && !queue.holds(tickets[0]))
    #expect(queue.next() == nil && queue.nextDeadline == 60)
    #expect(queue.removeLate(at: 60).isEmpty)
    #expect(queue.next()?.2.captured.frame.sequence == 3, "c goes on with the frame that it has")
    #expect(queue.nextDeadline == 70)
    #expect(queue.removeLate(at: .distantFuture).map(\.uniqueID) == ["b"] && queue.nextDeadline == nil)
  }

  @Test("a capture that has its frames has no deadline any more") func capturesWithFramesAreNeverLate() {
    var queue = Self.queue(responsive: true)
    for job in ["a", "b", "c"] { queue.enqueue(job) }
    let tickets = queue.beginNext().map(\.ticket)
    for ticket in tickets.prefix(2) { queue.wait(ticket, earliest: 0, deadline: 50) }
    #expect(queue.endWait(tickets[0]) == true)
    #expect(queue.frameArrived(at: 1) { _ in true }.map(\.1.uniqueID) == ["b"])
    queue.setCaptured(tickets[2], 1, missing: 1, deadline: 50)
    _ = queue.frameArrived(at: 2) { _ in true }
    #expect(queue.nextDeadline == nil && queue.removeLate(at: .distantFuture).isEmpty)
  }

  @Test("the queue refuses captures beyond its limit until one leaves") func pendingIsBounded() throws {
    var queue = Self.queue(maxPending: 2)
    for job in ["a", "b"] {
      try queue.checkRoom()
      queue.enqueue(job)
    }
    let error = #expect(throws: CaptureError.self) { try queue.checkRoom() }
    #expect(error?.reason == .tooManyRequests)
    queue.remove(queue.beginNext()[0].ticket)
    try queue.checkRoom()
  }

  @Test("captures run deferred start once, and again only after it failed") func deferredStartRunsOnce() {
    var queue = Self.queue(prepared: false)
    queue.enqueue("a", held: 1)
    #expect(queue.beginDeferredStart(ofCamera: false) == true)
    #expect(queue.beginDeferredStart(ofCamera: false) == false)
    // The output is still not prepared, so deferred start has failed. The capture is removed, and the next one may try
    // again.
    #expect(queue.endDeferredStart().map(\.uniqueID) == ["a"])
    #expect(queue.beginDeferredStart(ofCamera: false) == true)
    queue.setPrepared()
    #expect(queue.endDeferredStart().isEmpty)
    #expect(queue.beginDeferredStart(ofCamera: false) == false)
  }

  @Test("a capture of a prepared output runs deferred start for a camera that waits for it") func awaitedCamera() {
    var queue = Self.queue()
    queue.enqueue("a")
    #expect(queue.beginDeferredStart(ofCamera: true) == true)
    #expect(queue.beginDeferredStart(ofCamera: true) == false, "it runs already")
    #expect(queue.endDeferredStart().isEmpty, "the capture goes on waiting for a frame")
  }

  @Test("with responsive capture, a capture that sets the camera begins when deferred start is over") func awaitedShot()
  {
    var queue = Self.queue(responsive: true)
    queue.enqueue("a", .init(overlaps: false, waitsForSensor: true, setsCamera: true))
    #expect(queue.beginDeferredStart(ofCamera: true) == true)
    #expect(queue.beginNext().isEmpty)
    #expect(queue.endDeferredStart().isEmpty)
    #expect(queue.beginNext().count == 1)
  }

  @Test("C8: a capture that asked for deferred start is processed only after its end", arguments: [false, true])
  func nothingIsProcessedBeforeTheEndOfDeferredStart(responsive: Bool) {
    var queue = Self.queue(responsive: responsive, prepared: false)
    queue.enqueue("a", held: 1)
    #expect(queue.beginDeferredStart(ofCamera: false) == true)
    queue.setPrepared()
    let early = queue.beginNext().map(\.ticket)
    #expect(early.isEmpty != responsive, "only responsive capture lets the capture begin at once")
    for ticket in early { queue.setCaptured(ticket, 1) }
    #expect(queue.readyCount == 0)
    #expect(queue.next() == nil, "deferred start still prepares other outputs")
    #expect(queue.endDeferredStart().isEmpty)
    for ticket in queue.beginNext().map(\.ticket) { queue.setCaptured(ticket, 1) }
    #expect(queue.readyCount == 1)
    #expect(queue.next()?.1.uniqueID == "a")
  }

  @Test("A10: a reconfiguration ends every capture that is not being delivered") func aReconfigurationEndsCaptures() {
    var queue = Self.queue(responsive: true)
    for job in ["a", "b", "c", "d"] { queue.enqueue(job, held: 1) }
    let tickets = queue.beginNext().map(\.ticket)
    for ticket in tickets { queue.setCaptured(ticket, 1) }
    _ = queue.next()
    _ = queue.next()
    queue.finish(tickets[0], .success([]))
    _ = queue.nextDelivery()
    #expect(queue.interrupt().map(\.uniqueID) == ["b", "c", "d"], "a is being delivered, so it does not end")
    queue.finish(tickets[1], .success([]))
    queue.remove(tickets[0])
    #expect(queue.nextDelivery() == nil && queue.beginNext().isEmpty)
  }

  /// The photo thread uses memory and a core until it is done, so no other capture may have the place before.
  @Test("A10: an interrupted capture keeps its place until its photo thread is free", arguments: [false, true])
  func anInterruptedCaptureKeepsItsPlace(responsive: Bool) {
    var queue = Self.queue(responsive: responsive)
    queue.maxProcessing = 1
    queue.enqueue("a", held: 1)
    let a = queue.beginNext()[0].ticket
    queue.setCaptured(a, 1)
    _ = queue.next()
    #expect(queue.interrupt().map(\.uniqueID) == ["a"] && !queue.isIdle)
    for job in ["b", "c", "d"] { queue.enqueue(job, held: 1) }
    let begun = queue.beginNext()
    #expect(begun.map(\.job.uniqueID) == (responsive ? ["b", "c"] : []))
    for turn in begun { queue.setCaptured(turn.ticket, 1) }
    #expect(queue.readyCount == 0 && queue.next() == nil, "a photo thread still processes a")
    #expect(queue.readiness() != .ready)
    queue.setEncoding(a)
    #expect(queue.next()?.1.uniqueID == (responsive ? "b" : nil), "the thread only encodes a now")
    queue.finish(a, .success([]))
    #expect(queue.beginNext().map(\.job.uniqueID) == (responsive ? ["d"] : ["b"]))
    #expect(queue.nextDelivery() == nil, "the queue does not deliver an interrupted capture")
  }

  @Test("closing removes every capture that no photo thread works on, and the first error counts")
  func closingKeepsCapturesInProcess() throws {
    var queue = Self.queue(responsive: true)
    for job in ["a", "b", "c", "d"] { queue.enqueue(job) }
    let tickets = queue.beginNext().map(\.ticket)
    queue.setCaptured(tickets[0], 1)
    queue.setCaptured(tickets[1], 2)
    queue.wait(tickets[2], earliest: 0)
    _ = queue.next()
    let gone = CaptureError(.outputRemoved, "gone")
    #expect(queue.close(gone).map(\.uniqueID) == ["b", "c", "d"])
    #expect(queue.close(CaptureError(.shuttingDown, "too late")).isEmpty)
    #expect(queue.readiness() == .sessionNotRunning)
    queue.remove(tickets[0])
    queue.setCaptured(tickets[1], 4)
    #expect(queue.next() == nil)
    #expect(throws: gone) { try queue.checkRoom() }
  }
}
