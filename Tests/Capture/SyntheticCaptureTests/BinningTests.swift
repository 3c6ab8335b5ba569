import CaptureCore
import CaptureTestKit
import Testing

@testable import SyntheticCapture

/// Tests how a binned picture follows from the pixels of the sensor. The picture must have the values and the noise of
/// a real sensor that bins.
@Suite(.computing) struct BinningTests {
  private static let size = Size(width: 160, height: 90)
  private static let double = Size(width: 320, height: 180)

  /// Below the timecode board, each luma and chroma sample of a binned picture is the rounded mean of the four samples
  /// of the picture of the double size, noise included.
  @Test(arguments: [PixelFormat.nv12, .yuyv], SyntheticCameraConfiguration.Scene.allCases)
  func everyPixelIsTheMeanOfFour(format: PixelFormat, scene: SyntheticCameraConfiguration.Scene) {
    let configuration = SyntheticCameraConfiguration(scene: scene, noise: 5, seed: 9)
    let sensor = Rendered(configuration, format, Self.double)
    let binned = Rendered(configuration, format, Self.size, isBinned: true)
    // The number of luma lines that share one line of chroma.
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

  /// The mean of the four samples at the offsets 0 and 1 in each direction, with halves rounded up.
  private func mean(_ sample: (Int, Int) -> UInt8) -> UInt8 {
    let samples = [sample(0, 0), sample(1, 0), sample(0, 1), sample(1, 1)]
    let sum = samples.reduce(0) { $0 + Int($1) }
    return UInt8((sum + 2) / 4)
  }

  /// The mean of four independent samples has a quarter of their variance, as on a real sensor that bins.
  @Test func binningQuartersTheVarianceOfNoise() {
    func variance(_ size: Size, isBinned: Bool) -> Double {
      let picture = Rendered(.init(scene: .bars, noise: 6), .nv12, size, isBinned: isBinned)
      // The samples are from the second bar, which is yellow.
      let samples = (size.height / 4..<size.height).flatMap { y in
        (size.width / 8..<size.width / 4).map { Double(picture.luma($0, y)) }
      }
      // Rounding to whole code values adds 1/12 to the variance of either picture, so 1/12 is subtracted.
      return statistics(samples).variance - 1.0 / 12
    }
    let ratio =
      variance(Size(width: 480, height: 270), isBinned: true) / variance(Size(width: 960, height: 540), isBinned: false)
    #expect(abs(ratio - 0.25) < 0.02, "\(ratio)")
  }
}
