import CaptureCore
import CaptureTestKit
import SystemClocks
import Testing

@testable import PhotoCapture

/// Tests captures of "now" whose camera was off, without threads: they begin when the exposure has settled.
@Suite struct SettlingCaptureTests {
  /// A queue whose camera has just started.
  private static func starting(_ features: PhotoFeatures = PhotoFeatures()) -> TestedQueue {
    var queue = TestedQueue(features)
    queue.start()
    queue.change { setSettling(true, in: &$0) }
    return queue
  }

  private static func setSettling(_ isSettling: Bool, in machine: inout PhotoQueueStateMachine) {
    var conditions = machine.conditions
    conditions.isSettling = isSettling
    machine.update(conditions)
  }

  private static func request(moment: CaptureMoment? = nil, wasOff: Bool = true) -> PhotoRequest {
    var request = PhotoRequest(moment: moment, arrival: 1)
    request.awaitsSettling = wasOff
    return request
  }

  private static func enqueue(_ id: String, in queue: inout TestedQueue, at now: MonotonicInstant) -> [String] {
    let job = queue.job(id)
    return queue.change { $0.enqueue(job, nil, settlingUntil: $0.settlingEnd(for: request(), at: now)) }
  }

  @Test func theCaptureBeginsWhenTheExposureHasSettled() {
    var queue = Self.starting()
    #expect(Self.enqueue("a", in: &queue, at: 5) == ["readiness", "watch deadlines 1"])
    #expect(queue.machine.readiness == .notReadyWaitingForCapture)
    #expect(queue.change { $0.frameArrived(TestedQueue.frame(1), until: 9, at: 6) } == [])
    let actions = queue.change { Self.setSettling(false, in: &$0) }
    #expect(actions == ["begin a", "readiness", "find frames a"])
  }

  /// Without responsive capture only one capture is under way; both have the deadline of the first.
  @Test(arguments: [false, true]) func theWaitHasAnEnd(isResponsive: Bool) {
    var queue = Self.starting(PhotoFeatures(responsiveCapture: isResponsive))
    _ = Self.enqueue("a", in: &queue, at: 5)
    _ = Self.enqueue("b", in: &queue, at: 500)
    let end = MonotonicInstant.epoch + 5 + PhotoQueueStateMachine.longestSettling
    #expect(queue.changing { $0.nextWake(of: 1) }.result == end)
    #expect(queue.change { $0.endLate(at: end) { _, _ in TestedQueue.error } }.contains("begin a"))
    #expect(queue.machine.places.settlingEnd == nil)
    #expect((queue.tickets["b"] != nil) == isResponsive)
  }

  @Test func onlyCapturesOfNowWhoseCameraWasOffWait() {
    var queue = Self.starting()
    #expect(queue.machine.settlingEnd(for: Self.request(wasOff: false), at: 1) == nil)
    #expect(queue.machine.settlingEnd(for: Self.request(moment: .monotonic(3)), at: 1) == nil)
    _ = Self.enqueue("a", in: &queue, at: 5)
    let end = queue.machine.places.settlingEnd
    #expect(end != nil)
    #expect(queue.machine.settlingEnd(for: Self.request(wasOff: false), at: 9) == end, "it would show a dark frame")
    #expect(queue.machine.settlingEnd(for: Self.request(moment: .monotonic(3)), at: 9) == nil)
    queue.change { Self.setSettling(false, in: &$0) }
    #expect(queue.machine.settlingEnd(for: Self.request(), at: 9) == nil, "the camera has settled")
  }

  @Test func theCaptureFailsWhenTheSessionStops() {
    var queue = Self.starting()
    _ = Self.enqueue("a", in: &queue, at: 5)
    let actions = queue.change { machine in
      var conditions = machine.conditions
      conditions.status = SessionStatus(.stopping)
      machine.update(conditions)
    }
    #expect(actions.contains("fail a operationInterrupted"))
    #expect(queue.machine.places.isIdle)
  }
}
