import CaptureCore
import CaptureTestKit
import Imaging
import Testing

/// How a size is fitted into the size that a client allows.
@Suite struct SizeFittedTests {
  @Test(arguments: [
    (Size(width: 1920, height: 1080), Size(width: 640, height: 640), Size(width: 640, height: 360)),
    (Size(width: 1920, height: 1080), Size(width: 1920, height: 1080), Size(width: 1920, height: 1080)),
    (Size(width: 1920, height: 1080), Size(width: 10_000, height: 10_000), Size(width: 1920, height: 1080)),
    (Size(width: 1080, height: 1920), Size(width: 640, height: 480), Size(width: 270, height: 480)),
    (Size(width: 1280, height: 1024), Size(width: 640, height: 480), Size(width: 600, height: 480)),
    (Size(width: 641, height: 481), Size(width: 1000, height: 1000), Size(width: 640, height: 480)),
    (Size(width: 640, height: 480), Size(width: 333, height: 333), Size(width: 332, height: 250)),
    (Size(width: 10_000, height: 4), Size(width: 100, height: 100), Size(width: 100, height: 2)),
    (Size(width: 1, height: 1), Size(width: 100, height: 100), Size(width: 1, height: 1)),
    (Size(width: 640, height: 480), Size(width: 0, height: 0), Size(width: 2, height: 2)),
  ])
  func sizesAreFittedIntoBounds(_ size: Size, _ bounds: Size, _ expected: Size) {
    #expect(size.fitted(into: bounds) == expected)
  }

  /// A fitted size is never larger than the picture or the bounds, has even sides, and keeps the shape except for
  /// rounding.
  @Test func aFittedSizeKeepsTheBoundsAndTheShape() {
    var generator = SeededGenerator(seed: 7)
    func side() -> Int { Int.random(in: 64...4096, using: &generator) }
    for _ in 0..<1000 {
      let (size, bounds) = (Size(width: side(), height: side()), Size(width: side(), height: side()))
      let fitted = size.fitted(into: bounds)
      #expect(fitted.width <= min(size.width, bounds.width) && fitted.height <= min(size.height, bounds.height))
      #expect(fitted.width % 2 == 0 && fitted.height % 2 == 0)
      // Rounding to even numbers costs up to two pixels on each side.
      let ideal = Double(fitted.width) * Double(size.height) / Double(size.width)
      #expect(abs(ideal - Double(fitted.height)) <= 2 + 2 * Double(size.height) / Double(size.width))
    }
  }
}
