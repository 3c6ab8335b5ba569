import CaptureCore
import CaptureTestKit
import Testing

@testable import SyntheticCapture

@Suite(.computing) struct BinningTests {
  private static let size = Size(width: 160, height: 90)
  private static let double = Size(width: 320, height: 180)

  @Test(arguments: [PixelFormat.nv12, .yuyv], SyntheticCameraConfiguration.Scene.allCases)
  func everyPixelIsTheMeanOfFour(format: PixelFormat, scene: SyntheticCameraConfiguration.Scene) {
    let configuration = SyntheticCameraConfiguration(scene: scene, noise: 5, seed: 9)
    let sensor = Rendered(configuration, format, Self.double)
    let binned = Rendered(configuration, format, Self.size, isBinned: true)
    // Lines of chroma per line of luma, as a divisor.
    let shared = format == .nv12 ? 2 : 1
    var wrong = 0
    for y in (TimecodeBoard.bottom(height: Self.size.height) + 1) & ~1..<Self.size.height {
      for x in 0..<Self.size.width {
        if binned.luma(x, y) != mean({ sensor.luma(2 * x + $0, 2 * y + $1) }) { wrong += 1 }
      }
      let line = y / shared * 2
      for x in stride(from: 0, to: Self.size.width, by: 2) {
        for component in 0...1 {
          let expected = mean { sensor.chroma(component, 2 * x + 2 * $0, (line + $1) * shared) }
          if binned.chroma(component, x, y) != expected { wrong += 1 }
        }
      }
    }
    #expect(wrong == 0)
  }

  /// Of the four samples at offsets 0 and 1 in each direction, rounded half up.
  private func mean(_ sample: (Int, Int) -> UInt8) -> UInt8 {
    UInt8((Int(sample(0, 0)) + Int(sample(1, 0)) + Int(sample(0, 1)) + Int(sample(1, 1)) + 2) / 4)
  }

  @Test func noiseVarianceIsAQuarter() {
    func variance(_ size: Size, isBinned: Bool) -> Double {
      let picture = Rendered(.init(scene: .bars, noise: 6), .nv12, size, isBinned: isBinned)
      // The second bar, yellow.
      let samples = (size.height / 4..<size.height).flatMap { y in
        (size.width / 8..<size.width / 4).map { Double(picture.luma($0, y)) }
      }
      // Rounding to whole values adds 1/12 to either.
      return statistics(samples).variance - 1.0 / 12
    }
    let ratio =
      variance(Size(width: 480, height: 270), isBinned: true) / variance(Size(width: 960, height: 540), isBinned: false)
    #expect(abs(ratio - 0.25) < 0.02, "\(ratio)")
  }
}
