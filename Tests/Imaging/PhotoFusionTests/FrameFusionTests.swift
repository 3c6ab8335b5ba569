import CaptureCore
import CaptureTestKit
import Imaging
import PhotoFusion
import SystemClocks
import Testing

@testable import SyntheticCapture

/// Photos that are fused from the frames of a burst.
@Suite(.computing) struct FrameFusionTests {
  let pool = FramePool(budget: 256 << 20)

  func fuse(_ burst: Burst, _ strength: FrameFusion.Strength = .full) throws -> FusedPicture {
    try FrameFusion(pool: pool).fuse(burst.frames, reference: Burst.reference, strength: strength)
  }

  /// The photo of eight shaken frames has nearly all of the gain that eight frames can give. A copy of the reference
  /// would gain nothing, and a plain average of shaken frames would lose much.
  @Test(arguments: [4.0, 7, 10])
  func aShakingHandCostsLittleOfTheGain(_ level: Double) throws {
    let burst = Burst(level: level, seed: UInt64(level), pool: pool)
    let full = try fuse(burst)
    let balanced = try fuse(burst, .balanced)
    #expect(burst.gain(of: full.picture) >= 7.5)
    #expect(burst.gain(of: balanced.picture) >= 4)
    #expect(burst.gain(of: full.picture) >= burst.gain(of: balanced.picture) + 1.5)
    #expect(full.frameCount == 8 && balanced.frameCount == 3)
  }

  /// A plain average would show the square eight times, faintly.
  @Test(arguments: [4.0, 10])
  func aMovingSquareLeavesNoGhost(_ level: Double) throws {
    let side = 36
    let burst = Burst(
      level: level, seed: 3, square: { index in (x: 20 + 14 * index, y: 40 + 5 * index, side: side) }, pool: pool)
    let picture = try fuse(burst).picture
    #expect(burst.gain(of: picture) >= 6)
    for index in 0..<8 {
      let (x, y) = (20 + 14 * index, 40 + 5 * index)
      #expect(burst.gain(of: picture, within: (x..<x + side, y..<y + side)) >= 1, "where the square was in \(index)")
    }
  }

  /// The cells of the timecode differ as much as samples can, and the lower edge of its board is in the middle of
  /// tiles. The photo shows the timecode of the reference, and has less noise below the board.
  @Test(arguments: [PixelFormat.nv12, .yuyv])
  func theTimecodeIsThatOfTheReference(_ format: PixelFormat) throws {
    let size = Size(width: 256, height: 216)
    let layout = FrameLayout.packed(format, size)!
    let renderer = FrameRenderer(
      configuration: SyntheticCameraConfiguration(scene: .still, noise: 6), layout: layout, isBinned: false)
    let frames = (0..<8).map { index in
      let memory = pool.take(layout.byteCount)!
      renderer.render(
        sequence: 1000 + UInt64(index), time: .epoch + 1_763_706_830_123_456_789 + UInt64(index) * 33_366_700,
        into: memory.bytes.baseAddress!)
      return Picture(layout: layout, buffer: memory.freeze(count: layout.byteCount))
    }
    for reference in [0, 4, 7] {
      let fused = try FrameFusion(pool: pool).fuse(frames, reference: reference, strength: .full)
      let luma = fused.picture.bytes
      let timecode = luma.withUnsafeBytes { Timecode(luma: $0, stride: size.width, size: size) }
      #expect(timecode?.sequence == 1000 + UInt64(reference))
      // The camera stands still, so below the board a plain average would do as well, and a copy of the reference would
      // not.
      let truth = StillScene.truth(pixelFormat: .nv12, size: size)!
      let first = TimecodeBoard.bottom(height: size.height) * size.width
      let step = format == .yuyv ? 2 : 1
      func error(_ bytes: [UInt8], step: Int) -> Double {
        (first..<size.pixelCount).reduce(0) { sum, index in
          let difference = Double(bytes[index * step]) - Double(truth[index])
          return sum + difference * difference
        }
      }
      let before = error(frames[reference].bytes, step: step)
      #expect(error(luma, step: 1) < before / 4.5, "6.5 dB")
    }
  }

  /// Frames of other scenes are not merged into the reference.
  @Test func framesOfOtherScenesAreLeftOut() throws {
    var random = SeededGenerator(seed: 9)
    let size = Size(width: 192, height: 144)
    let exposures = (0..<8).map { Exposure(.unlike($0), size) }
    let frames = exposures.map { $0.frame(level: 5, &random, pool: pool) }
    let fused = try FrameFusion(pool: pool).fuse(frames, reference: 3, strength: .full)
    #expect(exposures[3].quality(of: fused.picture) >= exposures[3].quality(of: frames[3]))
    #expect(fused.frameCount <= 4)
  }

  /// When the scene moves farther than the search reaches, the photo is at least as good as the reference.
  @Test func motionBeyondTheSearchIsNotMerged() throws {
    var random = SeededGenerator(seed: 10)
    let exposures = (0..<8).map {
      Exposure(LightField.waves.shifted(150 * Double($0 - 4), -90 * Double($0 - 4)), Size(width: 192, height: 144))
    }
    let frames = exposures.map { $0.frame(level: 5, &random, pool: pool) }
    let fused = try FrameFusion(pool: pool).fuse(frames, reference: 4, strength: .full)
    #expect(exposures[4].quality(of: fused.picture) >= exposures[4].quality(of: frames[4]))
  }

  @Test func aSingleFrameIsOnlyDenoised() throws {
    let burst = Burst(level: 8, pool: pool)
    let fused = try FrameFusion(pool: pool).fuse([burst.single], reference: 0, strength: .full)
    #expect(fused.frameCount == 1)
    #expect(burst.gain(of: fused.picture) >= 1)
  }

  /// The estimates for luma and chroma are near the noise that the test has added.
  @Test(arguments: [3.0, 8])
  func noiseIsEstimatedFromTheBurst(_ level: Double) throws {
    let fused = try fuse(Burst(level: level, pool: pool))
    #expect(abs(fused.noise.deviation(luma: 126) / level - 1) < 0.15)
    #expect(abs(fused.noise.chroma.squareRoot() / (level / 2) - 1) < 0.2)
  }

  /// Equal frames without noise give the reference, except for rounding.
  @Test func cleanFramesStayAsTheyAre() throws {
    let burst = Burst(level: 0, pool: pool)
    let frames = Array(repeating: burst.single, count: 8)
    let fused = try FrameFusion(pool: pool).fuse(frames, reference: 2, strength: .full)
    #expect(zip(fused.picture.bytes, burst.single.bytes).allSatisfy { abs(Int($0) - Int($1)) <= 1 })
  }

  /// A picture without any variation gives nothing to estimate noise from. Nothing in the picture may change.
  @Test(arguments: [0.0, 1, 16, 127, 235, 254, 255])
  func flatAndSaturatedPicturesKeepTheirValue(_ value: Double) throws {
    var random = SeededGenerator(seed: 1)
    let exposure = Exposure(.flat(value), Size(width: 100, height: 60))
    let frames = (0..<8).map { _ in exposure.frame(level: 0, &random, pool: pool) }
    for strength in FrameFusion.Strength.allCases {
      let fused = try FrameFusion(pool: pool).fuse(frames, reference: 4, strength: strength)
      #expect(fused.picture.bytes == frames[4].bytes)
    }
  }

  /// Blown highlights have no noise. They must not make the rest of the picture look free of noise.
  @Test func partlySaturatedPicturesGainElsewhere() throws {
    let field = LightField { x, y in
      let color = LightField.waves.color(x, y)
      return x < 80 ? (400, 128, 128) : color
    }
    let burst = Burst(field, level: 6, pool: pool)
    let picture = try fuse(burst).picture
    #expect(burst.gain(of: picture, within: (90..<192, 0..<144)) >= 6)
    let (stride, bytes) = (picture.layout.planes[0].stride, picture.bytes)
    #expect((0..<144).allSatisfy { row in bytes[row * stride..<row * stride + 70].allSatisfy { $0 >= 253 } })
  }
}
