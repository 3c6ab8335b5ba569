import CaptureCore
import CaptureTestKit
import SystemClocks
import Testing

@testable import PhotoCapture

/// Tests how long a capture is tracked, and how many captures and watchers there may be.
@Suite struct TrackedCapturesTests {
  @Test("F2: tracking ends when the client stops it or when its watcher goes") func trackingEnds() throws {
    var tracked = TrackedCaptures()
    try tracked.addWatcher("1")
    try tracked.addWatcher("2")
    try tracked.start("a", watcher: "1", waitsForSensor: false, at: 0)
    try tracked.start("b", watcher: "2", waitsForSensor: true, at: 0)
    try tracked.start("c", watcher: nil, waitsForSensor: false, at: 0)
    #expect(tracked.waitsForSensor)
    tracked.stop("b")
    #expect(!tracked.waitsForSensor)
    tracked.removeWatcher("1")
    #expect(!tracked.isEmpty, "c belongs to all watchers, so only the last one ends it")
    tracked.removeWatcher("2")
    #expect(tracked.isEmpty)
  }

  @Test("F2: tracking that names no watcher ends after ten seconds") func trackingWithoutAWatcherExpires() throws {
    var tracked = TrackedCaptures()
    try tracked.start("a", watcher: nil, waitsForSensor: true, at: 5)
    tracked.removeExpired(at: .epoch + 4 + TrackedCaptures.longestUnwatched)
    #expect(tracked.waitsForSensor)
    tracked.removeExpired(at: .epoch + 5 + TrackedCaptures.longestUnwatched)
    #expect(tracked.isEmpty)
    #expect(tracked.nextEnd == nil)
    try tracked.addWatcher("1")
    try tracked.start("b", watcher: nil, waitsForSensor: false, at: 7)
    try tracked.start("c", watcher: "1", waitsForSensor: true, at: 5)
    #expect(tracked.nextEnd == .epoch + 7 + TrackedCaptures.longestUnwatched, "b expires even while a watcher is open")
    tracked.removeExpired(at: .distantFuture)
    #expect(tracked.waitsForSensor, "c names a watcher, so it does not expire")
    tracked.stop("c")
    #expect(tracked.isEmpty)
  }

  @Test("a watcher beyond the limit is refused until another one goes") func watchersAreBounded() throws {
    var tracked = TrackedCaptures()
    for watcher in 1...PhotoOutput.maxWatchers { try tracked.addWatcher("\(watcher)") }
    #expect(#expect(throws: CaptureError.self) { try tracked.addWatcher("1000") }?.reason == .tooManyRequests)
    tracked.removeWatcher("1")
    try tracked.addWatcher("1000")
  }

  @Test("tracking fails when it names a watcher that is not open") func trackingNeedsItsWatcher() {
    var tracked = TrackedCaptures()
    let error = #expect(throws: CaptureError.self) {
      try tracked.start("a", watcher: "1", waitsForSensor: false, at: 0)
    }
    #expect(error?.reason == .streamNotFound)
  }

  @Test("at most 128 captures are tracked, and tracking one of them again succeeds")
  func trackedCapturesAreBounded() throws {
    var tracked = TrackedCaptures()
    for id in 1...128 { try tracked.start("\(id)", watcher: nil, waitsForSensor: false, at: 0) }
    try tracked.start("128", watcher: nil, waitsForSensor: false, at: 0)
    let error = #expect(throws: CaptureError.self) {
      try tracked.start("z", watcher: nil, waitsForSensor: false, at: 0)
    }
    #expect(error?.reason == .tooManyRequests)
  }
}
