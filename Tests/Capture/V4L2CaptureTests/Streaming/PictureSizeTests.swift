import CaptureCore
import Testing

@testable import V4L2Capture

/// Which size of compressed pictures is the camera's, and which one a sign of damage.
struct PictureSizeTests {
  private let told = Size(width: 1920, height: 1080)
  private let other = Size(width: 1920, height: 1088)

  private func accepted(_ sizes: [Size]) -> [Bool] {
    var size = PictureSize(told: told)
    return sizes.map { size.accepts($0) }
  }

  @Test func theConfirmedSizeIsTaken() { #expect(accepted([told, told]) == [true, true]) }

  @Test func aSizeThatEveryPictureHasIsTheCameras() {
    #expect(accepted([other, other, other, other, told]) == [false, false, true, true, false])
  }

  @Test func onePictureOfAnotherSizeIsDamaged() {
    #expect(accepted([told, other, other, other, other, told]) == [true, false, false, false, false, true])
    #expect(accepted([other, other, told, other]) == [false, false, true, false])
  }

  @Test func differentSizesProveNothing() {
    let sizes = (0..<6).map { Size(width: 640 + $0 % 2, height: 480) }
    #expect(accepted(sizes) == sizes.map { _ in false })
  }
}
