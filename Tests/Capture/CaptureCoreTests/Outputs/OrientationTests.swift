import CaptureCore
import CaptureTestKit
import Testing

@Suite(.computing) struct OrientationTests {
  /// Where a corner of the picture goes, as (right, below), each 0 or 1.
  private func turned(_ corner: (x: Int, y: Int), by orientation: Orientation) -> (x: Int, y: Int) {
    var (x, y) = corner
    for _ in 0..<orientation.rotation.rawValue / 90 { (x, y) = (1 - y, x) }
    return (orientation.isMirrored ? 1 - x : x, y)
  }

  @Test(arguments: [false, true], Orientation.Rotation.allCases)
  func rotatingAfterwardsIsOneTurn(isMirrored: Bool, first: Orientation.Rotation) {
    for second in Orientation.Rotation.allCases {
      let before = Orientation(rotation: first, isMirrored: isMirrored)
      for corner in [(x: 0, y: 0), (x: 1, y: 0), (x: 0, y: 1)] {
        let oneByOne = turned(turned(corner, by: before), by: Orientation(rotation: second))
        #expect(turned(corner, by: before.rotated(by: second)) == oneByOne)
      }
    }
  }
}
