import CaptureCore
import Testing

@testable import SyntheticCapture

@Suite struct BinningTests {
  private static let size = Size(width: 480, height: 270)
  private static let double = Size(width: 960, height: 540)

  @Test(arguments: [PixelFormat.nv12, .yuyv], SyntheticCameraConfiguration.Scene.allCases)
  func everyPixelIsTheMeanOfFour(format: PixelFormat, scene: SyntheticCameraConfiguration.Scene) {
    let configuration = SyntheticCameraConfiguration(scene: scene, noise: 5, seed: 9)
    let sensor = Rendered(configuration, format, Self.double)
    let binned = Rendered(configuration, format, Self.size, isBinned: true)
    let chromaHeight = format == .nv12 ? 2 : 1
    var wrong = 0
    for y in (TimecodeBoard.bottom(height: Self.size.height) + 1) & ~1..<Self.size.height {
      for x in 0..<Self.size.width {
        let luma = [(0, 0), (1, 0), (0, 1), (1, 1)].reduce(2) { $0 + Int(sensor.luma(2 * x + $1.0, 2 * y + $1.1)) } / 4
        if Int(binned.luma(x, y)) != luma { wrong += 1 }
      }
      for x in stride(from: 0, to: Self.size.width, by: 2) {
        for component in 0..<2 {
          let sum = [(0, 0), (2, 0), (0, 1), (2, 1)].reduce(2) {
            let (column, line) = (2 * x + $1.0, (y / chromaHeight * 2 + $1.1) * chromaHeight)
            return $0 + Int(sensor.chroma(column, line)[component])
          }
          if Int(binned.chroma(x, y)[component]) != sum / 4 { wrong += 1 }
        }
      }
    }
    #expect(wrong == 0)
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
    let ratio = variance(Self.size, isBinned: true) / variance(Self.double, isBinned: false)
    #expect(abs(ratio - 0.25) < 0.02, "\(ratio)")
  }
}
