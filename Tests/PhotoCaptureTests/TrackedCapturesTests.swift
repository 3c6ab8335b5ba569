import CaptureCore
import Testing

@testable import PhotoCapture

@Suite struct TrackedCapturesTests {
  @Test("F2") func endsWithStopOrItsWatcher() throws {
    var tracked = TrackedCaptures()
    tracked.addWatcher(1)
    tracked.addWatcher(2)
    try tracked.start("a", watcher: 1, waitsForSensor: false)
    try tracked.start("b", watcher: 2, waitsForSensor: true)
    try tracked.start("c", watcher: nil, waitsForSensor: false)
    #expect(tracked.waitsForSensor)
    tracked.stop("b")
    #expect(!tracked.waitsForSensor)
    tracked.removeWatcher(1)
    #expect(!tracked.isEmpty, "c is everybody's")
    tracked.removeWatcher(2)
    #expect(tracked.isEmpty)
  }

  @Test func needsItsWatcher() {
    var tracked = TrackedCaptures()
    let error = #expect(throws: CaptureError.self) { try tracked.start("a", watcher: 1, waitsForSensor: false) }
    #expect(error?.reason == .streamNotFound)
  }

  @Test func isBounded() throws {
    var tracked = TrackedCaptures()
    for id in 1...128 { try tracked.start("\(id)", watcher: nil, waitsForSensor: false) }
    try tracked.start("128", watcher: nil, waitsForSensor: false)
    let error = #expect(throws: CaptureError.self) { try tracked.start("z", watcher: nil, waitsForSensor: false) }
    #expect(error?.reason == .tooManyRequests)
  }
}
