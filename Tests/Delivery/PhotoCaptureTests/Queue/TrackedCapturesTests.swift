import CaptureCore
import CaptureTestKit
import SystemClocks
import Testing

@testable import PhotoCapture

@Suite struct TrackedCapturesTests {
  @Test("F2") func endsWithStopOrItsWatcher() throws {
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
    #expect(!tracked.isEmpty, "c is everybody's")
    tracked.removeWatcher("2")
    #expect(tracked.isEmpty)
  }

  @Test("F2") func withoutWatchersItEndsAfterAWhile() throws {
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
    #expect(tracked.nextEnd == .epoch + 7 + TrackedCaptures.longestUnwatched, "whoever else watches")
    tracked.removeExpired(at: .distantFuture)
    #expect(tracked.waitsForSensor, "it ends with its watcher")
    tracked.stop("c")
    #expect(tracked.isEmpty)
  }

  @Test func watchersAreBounded() throws {
    var tracked = TrackedCaptures()
    for watcher in 1...PhotoOutput.maxWatchers { try tracked.addWatcher("\(watcher)") }
    #expect(#expect(throws: CaptureError.self) { try tracked.addWatcher("1000") }?.reason == .tooManyRequests)
    tracked.removeWatcher("1")
    try tracked.addWatcher("1000")
  }

  @Test func needsItsWatcher() {
    var tracked = TrackedCaptures()
    let error = #expect(throws: CaptureError.self) {
      try tracked.start("a", watcher: "1", waitsForSensor: false, at: 0)
    }
    #expect(error?.reason == .streamNotFound)
  }

  @Test func isBounded() throws {
    var tracked = TrackedCaptures()
    for id in 1...128 { try tracked.start("\(id)", watcher: nil, waitsForSensor: false, at: 0) }
    try tracked.start("128", watcher: nil, waitsForSensor: false, at: 0)
    let error = #expect(throws: CaptureError.self) {
      try tracked.start("z", watcher: nil, waitsForSensor: false, at: 0)
    }
    #expect(error?.reason == .tooManyRequests)
  }
}
