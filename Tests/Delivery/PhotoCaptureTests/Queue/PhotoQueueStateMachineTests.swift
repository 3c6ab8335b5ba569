import CaptureCore
import CaptureTestKit
import SystemClocks
import Testing

@testable import PhotoCapture

/// Tests what the photo queue decides, without threads: each test makes changes and compares the actions that follow.
@Suite struct PhotoQueueStateMachineTests {
  /// A request with a frame of the ring is told, made, delivered and ended in this order, and readiness is told only
  /// when it changes.
  @Test("H2: one capture from the request to its end") func oneCaptureFromRequestToEnd() throws {
    var queue = TestedQueue()
    queue.change { $0.places.setPrepared() }
    #expect(queue.change { $0.update(.running) } == ["readiness"])
    let job = queue.job("a")
    #expect(
      queue.change { $0.enqueue(job, TestedQueue.held(1)) } == ["begin a", "readiness", "find frames a"])
    let ticket = try #require(queue.tickets["a"])
    #expect(
      queue.change { $0.take(ticket, job, TestedQueue.held(1), until: 9, at: 2) }
        == ["willCapture a", "didCapture a", "wake 1"])
    let work = try #require(queue.changing { $0.nextWork() }.result)
    #expect(work.ticket == ticket && work.capture.held.captured.frame.sequence == 1)
    #expect(queue.change { $0.places.setEncoding(ticket) } == [])
    #expect(queue.change { $0.finish(ticket, job, .failure(TestedQueue.error)) } == [])
    #expect(queue.changing { $0.places.nextDelivery() }.result?.0 == ticket)
    #expect(queue.change { $0.leave(ticket, job, TestedQueue.error) } == ["readiness", "end a"])
    #expect(queue.machine.readiness == .ready && queue.machine.needsNoMemory)
  }

  /// A capture for which the ring has no frame takes the first one that comes.
  @Test("H1: a capture without a frame waits for one") func aCaptureWithoutAFrameWaits() throws {
    var queue = TestedQueue(PhotoFeatures(zeroShutterLag: false))
    queue.start()
    let turn = try queue.begin("a")
    #expect(queue.changing { $0.wait(for: turn, until: 50) }.result == .since(turn.job.request.arrival))
    let actions = queue.changing { $0.frameArrived(TestedQueue.frame(1), until: 9, at: 5) }.actions
    #expect(actions.names == ["willCapture a", "didCapture a", "readiness", "wake 1"])
    guard case .send(_, .didCapturePhoto(1, _, _))? = actions.notices.last else { throw NoPhoto() }
    queue.change { $0.found(turn.ticket, turn.job, TestedQueue.held(2), until: 9, at: 6) }
    #expect(queue.changing { $0.nextWork() }.result?.capture.held.captured.frame.sequence == 1, "frame 2 is too late")
  }

  enum EndOfFrames: CaseIterable { case stop, disabledConnection, reconfiguration, closing }

  /// The end comes while the capture waits, or after it has begun and before it is known to wait.
  @Test("a capture fails when no frame can come", arguments: EndOfFrames.allCases, [false, true])
  func aCaptureFailsWhenNoFrameCanCome(end: EndOfFrames, waits: Bool) throws {
    var queue = TestedQueue()
    queue.start()
    let turn = try queue.begin("a")
    if waits { queue.change { _ = $0.wait(for: turn, until: 50) } }
    var actions = queue.change { machine in
      var conditions = OutputConditions.running
      switch end {
      case .stop: conditions.status = SessionStatus(.stopping)
      case .disabledConnection: conditions.connection = Connection(isEnabled: false)
      case .reconfiguration: conditions.isReconfiguring = true
      case .closing: return machine.close(TestedQueue.error)
      }
      machine.update(conditions)
    }
    let endsLater = !waits && (end == .stop || end == .disabledConnection)
    #expect(actions.contains("fail a operationInterrupted") == !endsLater)
    actions = queue.change { machine in
      if !waits { _ = machine.wait(for: turn, until: 50) }
      machine.failUnlessFramesCome(turn.ticket, turn.job)
    }
    #expect(actions.contains("fail a operationInterrupted") == endsLater)
    #expect(queue.machine.places.isIdle)
  }

  /// The queue asks for one watcher, which sleeps until the capture's deadline.
  @Test("a capture that waits too long fails at its deadline") func aLateCaptureFails() throws {
    var queue = TestedQueue(PhotoFeatures(zeroShutterLag: false))
    queue.start()
    let turn = try queue.begin("a")
    #expect(queue.change { _ = $0.wait(for: turn, until: 50) }.contains("watch deadlines 1"))
    #expect(queue.changing { $0.nextWake(of: 1) }.result == 50)
    #expect(queue.change { $0.endLate(at: 49) { _, _ in TestedQueue.error } } == [])
    #expect(queue.change { $0.endLate(at: 50) { _, _ in TestedQueue.error } }.contains("fail a processingFailed"))
    #expect(queue.changing { $0.nextWake(of: 1) }.result == nil)
  }

  /// Several captures for an output that is not prepared ask for one deferred start, and fail with its error.
  @Test("C8: captures of an unprepared output run deferred start once") func deferredStartRunsOnce() {
    var queue = TestedQueue(PhotoFeatures(responsiveCapture: true))
    queue.change { $0.update(.running) }
    let jobs = ["a", "b"].map(queue.job)
    #expect(queue.change { $0.enqueue(jobs[0], TestedQueue.held(1)) }.contains("run deferred start"))
    #expect(!queue.change { $0.enqueue(jobs[1], TestedQueue.held(1)) }.contains("run deferred start"))
    #expect(
      queue.change { $0.endDeferredStart(TestedQueue.error) } == ["fail a processingFailed", "fail b processingFailed"])
  }

  /// The capture that a step of a shot belongs to ends, so that the step does too.
  @Test("H8: the step of a shot ends with its capture") func theStepEndsWithItsCapture() throws {
    var queue = TestedQueue()
    queue.start()
    let shot = Shot(steps: [Shot.Step(exposure: .bias(1))])
    let turn = try queue.begin("a", shot: shot)
    #expect(queue.changing { $0.beginShot(turn.ticket, turn.job) }.result == false)
    let waiter = AsyncThrowingStream.makeStream(of: HeldFrame.self).continuation
    queue.change { $0.beginExposure(turn.ticket, turn.job, ShotConditions(earliest: 0), followsOwn: false, waiter) }
    #expect(queue.machine.shots.hasStep)
    let actions = queue.change { $0.update(OutputConditions.running(isReconfiguring: true)) }
    #expect(actions.contains("fail a operationInterrupted") && actions.contains("end exposure"))
    #expect(!queue.machine.shots.hasStep)
    #expect(queue.change { $0.endShot(turn.ticket, turn.job, .failure(TestedQueue.error), end: 9) } == [], "it failed")
    #expect(queue.machine.shots.shadow.end == 9)
  }

  /// One measurement answers all captures that wait. Where none could be made, the last decision holds.
  @Test("H3: one look at the scene decides about all flashes that wait") func oneLookDecides() {
    var queue = TestedQueue()
    let answer = AsyncStream.makeStream(of: Bool.self).continuation
    #expect(queue.change { $0.waitForFlashDecision(answer) } == ["measure light"])
    #expect(queue.change { $0.waitForFlashDecision(answer) } == [])
    #expect(queue.change { $0.decideFlash(luma: 3) } == ["flash true for 2"])
    #expect(queue.change { $0.waitForFlashDecision(answer) } == ["measure light"])
    #expect(queue.change { $0.decideFlash(luma: nil) } == ["flash true for 1"])
    #expect(queue.change { $0.decideFlash(luma: 200) } == ["flash false for 0"])
  }

  /// The first frame after the call begins the warm-up, whose end answers the call. A newer call answers the older one.
  @Test("H11: settings are prepared once the camera runs") func settingsArePrepared() throws {
    var queue = TestedQueue()
    queue.start()
    let waiter = AsyncThrowingStream.makeStream(of: Bool.self).continuation
    #expect(queue.change { $0.prepare([PhotoStage.request()], waiter, nil) } == [])
    #expect(queue.change { $0.prepare([PhotoStage.request()], waiter, nil) } == ["prepared false"])
    let actions = queue.changing { $0.frameArrived(TestedQueue.frame(1), until: 9, at: 1) }.actions
    guard case .warmUp(let warmUp)? = actions.work.first else { throw NoPhoto() }
    #expect(queue.change { $0.warmUpEnded(warmUp) } == ["prepared true"])
    #expect(queue.change { $0.prepare([], waiter, nil) } == ["prepared true"])
    #expect(queue.machine.needsNoMemory)
  }

  @Test("J6: other features change how many threads make photos") func featuresChangeTheThreads() {
    var queue = TestedQueue()
    queue.start()
    var conditions = OutputConditions.running
    conditions.photoFeatures = PhotoFeatures(responsiveCapture: true)
    #expect(queue.change { $0.update(conditions) } == ["start workers"])
    #expect(queue.change { $0.update(conditions) } == [])
  }
}

extension OutputConditions {
  fileprivate static var running: OutputConditions { running() }

  fileprivate static func running(isReconfiguring: Bool = false) -> OutputConditions {
    var conditions = OutputConditions()
    conditions.status = SessionStatus(.running)
    conditions.isReconfiguring = isReconfiguring
    return conditions
  }
}
