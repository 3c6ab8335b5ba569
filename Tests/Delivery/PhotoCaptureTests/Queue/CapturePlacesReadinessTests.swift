import CaptureCore
import CaptureTestKit
import SystemClocks
import Testing

@testable import PhotoCapture

/// Tests what readiness is while captures begin, wait, are processed and end, without threads.
@Suite struct CapturePlacesReadinessTests {
  typealias Queue = CapturePlacesTests.Queue

  @Test("without captures, readiness follows the session and the preparation") func readinessWithoutCaptures() {
    var queue = Queue(maxPending: 10, features: PhotoFeatures())
    #expect(queue.readiness() == .sessionNotRunning)
    _ = queue.sessionDidChange(.starting)
    #expect(queue.readiness() == .sessionNotRunning)
    _ = queue.sessionDidChange(.running)
    #expect(queue.readiness() == .notReadyMomentarily)
    queue.setPrepared()
    #expect(queue.readiness() == .ready)
    _ = queue.sessionDidChange(.interrupted)
    #expect(queue.readiness() == .sessionNotRunning)
  }

  /// Takes two captures from the request to the photo, the second of which the client requests before the first begins.
  ///
  /// - Returns: readiness before the requests, and each value to which it changes.
  static func trace(_ features: PhotoFeatures, _ traits: Queue.Traits) -> [CaptureReadiness] {
    var queue = CapturePlacesTests.queue()
    queue.setFeatures(features)
    var told = [queue.readiness()]
    func step(_ body: (inout Queue) -> Void) {
      body(&queue)
      if queue.readiness() != told.last { told.append(queue.readiness()) }
    }
    for job in ["a", "b"] { step { $0.enqueue(job, traits, held: traits.waitsForSensor ? nil : 1) } }
    for _ in 1...2 {
      var tickets: [Queue.Ticket] = []
      step { tickets += $0.beginNext().map(\.ticket) }
      for ticket in tickets {
        if traits.waitsForSensor {
          step { traits.setsCamera ? $0.shoot(ticket) : $0.wait(ticket, earliest: 0) }
          step { _ = $0.frameArrived(at: 1) { _ in true } }
        }
        step { $0.setCaptured(ticket, 1) }
        step { _ = $0.next() }
        step { $0.setEncoding(ticket) }
        step { $0.finish(ticket, .success([])) }
        step { _ = $0.nextDelivery() }
        step { $0.remove(ticket) }
      }
    }
    return told
  }

  @Test("F3: readiness during two captures depends on the features and on the kind of capture")
  func readinessDuringTwoCaptures() {
    let all = PhotoFeatures(responsiveCapture: true, fastCapturePrioritization: true)
    let flash = Queue.Traits(overlaps: false, waitsForSensor: true, setsCamera: true)
    let live = Queue.Traits(waitsForSensor: true)
    #expect(Self.trace(PhotoFeatures(), .init()) == [.ready, .notReadyWaitingForProcessing, .ready])
    #expect(Self.trace(all, .init()) == [.ready, .notReadyMomentarily, .ready])
    let (waits, processes) = (CaptureReadiness.notReadyWaitingForCapture, CaptureReadiness.notReadyWaitingForProcessing)
    // A queued flash counts as waiting for its capture too, so this value stays until the last flash has its frame.
    #expect(Self.trace(PhotoFeatures(), flash) == [.ready, waits, processes, .ready])
    #expect(
      Self.trace(PhotoFeatures(zeroShutterLag: false), live) == [
        .ready, processes, waits, processes, waits, processes, .ready,
      ])
  }

  @Test("F3: readiness says that a flash waits for its capture until its frame comes", arguments: [false, true])
  func readinessWhileAFlashWaits(responsive: Bool) {
    var queue = CapturePlacesTests.queue(responsive: responsive)
    queue.enqueue("a", .init(waitsForSensor: true))
    let ticket = queue.beginNext()[0].ticket
    queue.wait(ticket, earliest: 100)
    #expect(queue.readiness() == .notReadyWaitingForCapture)
    #expect(queue.frameArrived(at: 100) { _ in true }.map(\.1.uniqueID) == ["a"])
    #expect(queue.readiness() == (responsive ? .notReadyMomentarily : .notReadyWaitingForProcessing))
  }
}
