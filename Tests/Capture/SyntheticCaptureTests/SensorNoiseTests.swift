import CaptureCore
import CaptureTestKit
import Testing

@testable import SyntheticCapture

/// Tests the noise of synthetic cameras, which follows the model of a real sensor: shot noise that grows with the
/// light, and read noise that does not.
@Suite(.computing) struct SensorNoiseTests {
  private let size = Size(width: 640, height: 360)

  /// The luma noise of one colour bar: each sample less the bar's luma without noise.
  private func noise(_ picture: Rendered, inBar bar: Int) -> [Double] {
    let level = Double(BarsScene.colors[bar].y)
    let width = picture.size.width / 8
    return (picture.size.height / 4..<picture.size.height).flatMap { y in
      (bar * width..<(bar + 1) * width).map { Double(picture.luma($0, y)) - level }
    }
  }

  /// At each brightness, the variance is the one of `SensorNoise.variance(ofLuma:level:)`, which grows with the light,
  /// and the mean of the noise is 0.
  @Test(arguments: [1.5, 4.0])
  func varianceFollowsTheModelAtEveryBrightness(level: Double) {
    let picture = Rendered(.init(scene: .bars, noise: level, seed: 3), .nv12, size)
    for bar in [0, 2, 3, 6] {
      let (mean, variance) = statistics(noise(picture, inBar: bar))
      let expected = SensorNoise.variance(ofLuma: Int(BarsScene.colors[bar].y), level: level) + 1.0 / 12
      // One bar has 21,600 samples, from which the variance is known to about 1 %. The table of deviations is exact to
      // a sixteenth of a code value. The tolerance allows for both.
      #expect(abs(variance / expected - 1) < 0.08, "bar \(bar): \(variance), expected \(expected)")
      #expect(abs(mean) < 0.1, "bar \(bar)")
    }
  }

  /// The shares of samples within one deviation and beyond 2.5 deviations are those of a normal distribution.
  @Test func isGaussian() {
    let picture = Rendered(.init(scene: .bars, noise: 8), .nv12, size)
    let samples = noise(picture, inBar: 2)
    let deviation = statistics(samples).variance.squareRoot()
    let within = samples.filter { abs($0) < deviation }.count
    let beyond = samples.filter { abs($0) > 2.5 * deviation }.count
    #expect(abs(Double(within) / Double(samples.count) - 0.683) < 0.03)
    #expect(abs(Double(beyond) / Double(samples.count) - 0.0124) < 0.005)
  }

  /// The noise of chroma has half the deviation of the noise level, so a quarter of its variance.
  @Test func chromaHasHalfTheDeviation() {
    let picture = Rendered(.init(scene: .bars, noise: 4), .nv12, size)
    let samples = (0..<80).flatMap { x in (100..<360).map { Double(picture.chroma(0, x, $0)) - 128 } }
    #expect(abs(statistics(samples).variance / (4 + 1.0 / 12) - 1) < 0.1)
  }

  /// At a noise level of 0, every sample has exactly the colour of its bar.
  @Test func aLevelOfZeroTurnsNoiseOff() {
    let picture = Rendered(.init(scene: .bars, noise: 0), .yuyv, size)
    for bar in 0..<8 { #expect(noise(picture, inBar: bar).allSatisfy { $0 == 0 }) }
  }

  /// The same seed and sequence number give the same noise, so that a test that failed can be repeated; another seed or
  /// another frame gives other noise.
  @Test func noiseDependsOnSeedAndFrameOnly() {
    func bytes(seed: UInt64, sequence: UInt64) -> [UInt8] {
      Rendered(.init(scene: .still, noise: 2, seed: seed), .nv12, size, sequence: sequence).bytes
    }
    #expect(bytes(seed: 1, sequence: 5) == bytes(seed: 1, sequence: 5))
    #expect(bytes(seed: 1, sequence: 5) != bytes(seed: 2, sequence: 5))
    #expect(bytes(seed: 1, sequence: 5) != bytes(seed: 1, sequence: 6))
  }

  /// The noise of a sample correlates with that of no other frame, line or pixel. Merging frames could not remove noise
  /// that correlates between frames.
  @Test func framesAndLinesAreIndependent() {
    let first = Rendered(.init(scene: .bars, noise: 4), .nv12, size, sequence: 1)
    let second = Rendered(.init(scene: .bars, noise: 4), .nv12, size, sequence: 2)
    let (a, b) = (noise(first, inBar: 3), noise(second, inBar: 3))
    let variance = statistics(a).variance
    func correlation(_ pairs: some Sequence<(Double, Double)>) -> Double {
      let products = pairs.map { $0.0 * $0.1 }
      return products.reduce(0, +) / Double(products.count) / variance
    }
    #expect(abs(correlation(zip(a, b))) < 0.05)
    let width = size.width / 8
    #expect(abs(correlation(zip(a, a.dropFirst(width)))) < 0.05, "no correlation between one line and the next")
    #expect(abs(correlation(zip(a, a.dropFirst()))) < 0.05, "no correlation between one pixel and the next")
  }

  /// The timecode board has the same bytes with the strongest noise and without noise, so that it can always be read.
  @Test func neverReachesTheBoard() {
    let board = { (noise: Double) in
      Array(Rendered(.init(noise: noise), .yuyv, Size(width: 320, height: 180)).bytes[..<(640 * 23)])
    }
    #expect(board(10) == board(0))
  }
}
