import CaptureCore
import CaptureTestKit
import SystemClocks
import Testing

@testable import PhotoCapture

/// When requests count as a burst, and what quality their photos get.
@Suite struct BurstDetectorTests {
  /// The qualities of requests that arrive at these times.
  static func resolve(_ wanted: PhotoQuality = .quality, at milliseconds: [UInt64]) -> [PhotoQuality] {
    var detector = BurstDetector()
    return milliseconds.map { detector.resolve(wanted, at: .epoch + $0 * 1_000_000) }
  }

  @Test("J8: from the fourth photo on, a burst is made with less quality") func laterPhotosHaveLessQuality() {
    #expect(Self.resolve(at: [0, 200, 400, 600, 800]) == [.quality, .quality, .quality, .balanced, .balanced])
  }

  @Test("J8: photos a second apart are no burst") func isolatedPhotosKeepTheirQuality() {
    #expect(Set(Self.resolve(at: [0, 1000, 2000, 3000, 4000, 5000])) == [.quality])
  }

  @Test("J8: requests that come faster than photos are made are a burst")
  func requestsFasterThanPhotosAreABurst() {
    var detector = BurstDetector()
    var resolved: [PhotoQuality] = []
    for second in UInt64(0)...4 {
      resolved.append(detector.resolve(.quality, at: .epoch + second * 2_000_000_000, isBusy: second > 0))
    }
    #expect(resolved == [.quality, .quality, .quality, .balanced, .balanced])
    #expect(detector.resolve(.quality, at: 10_000_000_000, isBusy: false) == .quality)
  }

  @Test("J8: after a pause, photos have full quality again") func aPauseEndsTheBurst() {
    #expect(
      Self.resolve(at: [0, 1, 2, 3, 1003, 1004]) == [.quality, .quality, .quality, .balanced, .quality, .quality])
  }

  /// A burst does not raise the quality of a request that asks for less.
  @Test func lowerQualitiesAreKept() {
    #expect(Set(Self.resolve(.speed, at: [0, 1, 2, 3, 4])) == [.speed])
    #expect(Set(Self.resolve(.balanced, at: [0, 1, 2, 3, 4])) == [.balanced])
  }

  /// Requests of several clients may be handled in another order than they arrived.
  @Test func requestsMayComeOutOfOrder() {
    #expect(Self.resolve(at: [5000, 4999, 5001, 4998]) == [.quality, .quality, .quality, .balanced])
  }
}
