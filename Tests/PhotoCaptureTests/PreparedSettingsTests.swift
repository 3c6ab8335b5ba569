import CaptureCore
import Testing

@testable import PhotoCapture

@Suite struct PreparedSettingsTests {
  static let layout = FrameLayout.packed(.nv12, Size(width: 64, height: 36))!

  static func waiter() -> PreparedSettings.Waiter { AsyncThrowingStream.makeStream(of: Bool.self).continuation }

  @Test("H11") func oneThreadHoweverOftenItIsAskedFor() {
    var prepared = PreparedSettings()
    prepared.frameArrived(Self.layout)
    _ = prepared.set(1, waiter: Self.waiter())
    let first = prepared.beginWarmUp()!
    for count in 2...9 {
      _ = prepared.set(count, waiter: Self.waiter())
      #expect(prepared.beginWarmUp() == nil, "one is at it")
    }
    #expect(prepared.warmUpEnded(first) == nil, "nobody waits for that one any more")
    let second = prepared.beginWarmUp()!
    #expect(second.count == 9, "the newest counts")
    #expect(prepared.warmUpEnded(second) != nil)
    #expect(prepared.beginWarmUp() == nil, "all is there")
  }

  @Test("H11") func framesOfAnotherSizeNeedMemoryAnew() throws {
    var prepared = PreparedSettings()
    prepared.frameArrived(Self.layout)
    _ = prepared.set(1, waiter: Self.waiter())
    let first = prepared.beginWarmUp()!
    let larger = try #require(FrameLayout.packed(.nv12, Size(width: 128, height: 72)))
    prepared.frameArrived(larger)
    #expect(prepared.warmUpEnded(first) != nil)
    #expect(prepared.beginWarmUp()?.layout == larger)
  }
}
