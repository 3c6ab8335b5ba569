import CaptureCore
import CaptureTestKit
import SystemClocks
import Testing

@testable import PhotoCapture

@Suite struct BurstDetectorTests {
  static func resolve(_ wanted: PhotoQuality = .quality, at milliseconds: [UInt64]) -> [PhotoQuality] {
    var detector = BurstDetector()
    return milliseconds.map { detector.resolve(wanted, at: .epoch + $0 * 1_000_000) }
  }

  @Test("J8") func laterPhotosOfABurstAreHurried() {
    #expect(Self.resolve(at: [0, 200, 400, 600, 800]) == [.quality, .quality, .quality, .balanced, .balanced])
  }

  @Test("J8") func isolatedPhotosAreNot() {
    #expect(Set(Self.resolve(at: [0, 1000, 2000, 3000, 4000, 5000])) == [.quality])
  }

  @Test("J8") func whatComesFasterThanPhotosAreMadeIsABurst() {
    var detector = BurstDetector()
    var resolved: [PhotoQuality] = []
    for second in UInt64(0)...4 {
      resolved.append(detector.resolve(.quality, at: .epoch + second * 2_000_000_000, isBusy: second > 0))
    }
    #expect(resolved == [.quality, .quality, .quality, .balanced, .balanced])
    #expect(detector.resolve(.quality, at: 10_000_000_000, isBusy: false) == .quality)
  }

  @Test("J8") func itRecovers() {
    #expect(
      Self.resolve(at: [0, 1, 2, 3, 1003, 1004]) == [.quality, .quality, .quality, .balanced, .quality, .quality])
  }

  @Test func whoAskedForLessGetsThat() {
    #expect(Set(Self.resolve(.speed, at: [0, 1, 2, 3, 4])) == [.speed])
    #expect(Set(Self.resolve(.balanced, at: [0, 1, 2, 3, 4])) == [.balanced])
  }

  @Test func requestsMayComeOutOfOrder() {
    #expect(Self.resolve(at: [5000, 4999, 5001, 4998]) == [.quality, .quality, .quality, .balanced])
  }
}
