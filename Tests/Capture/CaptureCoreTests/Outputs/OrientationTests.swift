import CaptureCore
import CaptureTestKit
import Testing

/// Tests how orientations combine.
@Suite(.computing) struct OrientationTests {
  /// Where `orientation` moves a corner of the picture. A corner has x 0 at the left and 1 at the right, y 0 at the top
  /// and 1 at the bottom.
  private func turned(_ corner: (x: Int, y: Int), by orientation: Orientation) -> (x: Int, y: Int) {
    var (x, y) = corner
    for _ in 0..<orientation.rotation.rawValue / 90 { (x, y) = (1 - y, x) }
    return (orientation.isMirrored ? 1 - x : x, y)
  }

  /// The orientation from `rotated(by:)` moves every corner to where the first orientation and then the rotation would
  /// move it, mirrored or not. Otherwise a mirrored preview on a turned screen would be upside down.
  @Test(arguments: [false, true], Orientation.Rotation.allCases)
  func rotatingAnOrientationEqualsBothTurnsInARow(isMirrored: Bool, first: Orientation.Rotation) {
    for second in Orientation.Rotation.allCases {
      let before = Orientation(rotation: first, isMirrored: isMirrored)
      for corner in [(x: 0, y: 0), (x: 1, y: 0), (x: 0, y: 1)] {
        let oneByOne = turned(turned(corner, by: before), by: Orientation(rotation: second))
        #expect(turned(corner, by: before.rotated(by: second)) == oneByOne)
      }
    }
  }
}
