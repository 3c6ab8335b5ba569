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
    #expect(accepted(Array(repeating: other, count: 7)) == [false, false, false, false, true, true, true])
  }

  /// Some cameras begin a stream with pictures of the size that they had before.
  @Test func theConfirmedSizeCountsAtAnyTime() {
    let sizes = Array(repeating: other, count: 6) + [told, other, told]
    #expect(accepted(sizes) == [false, false, false, false, true, true, true, false, true])
  }

  /// The memory that readers take follows the size.
  @Test(arguments: [(0, 1080), (1920, 0), (65535, 65535), (3841, 2160)])
  func anAbsurdSizeIsDamaged(width: Int, height: Int) {
    #expect(accepted(Array(repeating: Size(width: width, height: height), count: 9)).allSatisfy { !$0 })
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
