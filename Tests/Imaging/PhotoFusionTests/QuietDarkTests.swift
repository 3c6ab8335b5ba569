import CaptureCore
import CaptureTestKit
import Imaging
import PhotoFusion
import Testing

/// Scenes with hardly any noise, in which differences are easily taken for noise or for nothing.
@Suite(.computing) struct QuietDarkTests {
  let pool = FramePool(budget: 64 << 20)

  /// A camera that smooths over time gives a dark scene hardly any noise, less than rounding makes. A model of such
  /// noise must not give less than no noise for bright samples: everything that differs there would then count as
  /// equal. Here a light is on in the reference only, between the tiles from which the fusion estimates the noise.
  @Test(arguments: [5, 6, 7, 9, 12])
  func aLightInAQuietDarkSceneStaysLit(percent: UInt64) throws {
    let size = Size(width: 192, height: 144)
    var random = SeededGenerator(seed: 1)
    let frames = (0..<8).map { index in
      let scene = LightField { x, y in
        if index == 4, (60..<140).contains(x), (48..<64).contains(y) { return (230, 128, 128) }
        var place = SeededGenerator(seed: UInt64(index) << 32 + UInt64(y) << 16 + UInt64(x))
        return (place.next() % 100 < percent ? 9 : 8, 128, 128)
      }
      return Exposure(scene, size).frame(level: 0, &random, pool: pool)
    }
    let fused = try FrameFusion(pool: pool).fuse(frames, reference: 4, strength: .full)
    #expect(fused.noise.deviation(luma: 0) > 0.25 && fused.noise.deviation(luma: 255) > 0.25)
    let luma = fused.picture.bytes
    let darkest = (50..<62).flatMap { y in (64..<136).map { x in luma[y * size.width + x] } }.min()
    #expect(darkest! >= 220)
  }

  /// Flat bars without noise lie under text, as in test pictures. The first line of the text differs in every frame,
  /// and the other lines stay. The differences are not noise, although nothing else in the picture has their
  /// brightness, so the text of the reference stays as it is.
  @Test(arguments: [2, 3, 8], [0, 1]) func aCounterOnACleanPictureIsKept(count: Int, reference: Int) throws {
    let size = Size(width: 640, height: 360)
    var random = SeededGenerator(seed: 2)
    /// Letters of strokes that are two pixels wide, in cells of 8 by 16 pixels.
    @Sendable func isLit(_ x: Double, _ y: Double, _ index: Int) -> Bool {
      let (line, row) = (Int(y) / 16, Int(y) % 16)
      guard (2..<12).contains(row) else { return false }
      var place = SeededGenerator(seed: UInt64(line == 1 ? index + 1 : 0) << 32 + UInt64(y) / 2 << 16 + UInt64(x) / 2)
      return place.next() % 2 == 0
    }
    let text = (x: 16..<256, y: 16..<112)
    let pictures = (0..<count).map { index in
      Exposure(
        LightField { x, y in
          let isText = text.x.contains(Int(x)) && text.y.contains(Int(y))
          return (isText ? isLit(x, y, index) ? 200 : 16 : Double(20 + 25 * (Int(x) / 80)), 128, 128)
        }, size)
    }
    let frames = pictures.map { $0.frame(level: 0, &random, pool: pool) }
    for strength in FrameFusion.Strength.allCases {
      let fused = try FrameFusion(pool: pool).fuse(frames, reference: reference, strength: strength)
      let (luma, wanted) = (fused.picture.bytes, frames[reference].bytes)
      let worst = text.y.flatMap { y in
        text.x.map { x in abs(Int(luma[y * size.width + x]) - Int(wanted[y * size.width + x])) }
      }.max()
      #expect(worst! <= 3)
      // All other parts could be merged.
      #expect(fused.frameCount == min(count, strength.frameLimit))
    }
  }

  /// Points that only the reference has, and that are too fine to show in the sum over a block.
  @Test func aFinePointStaysAmongNoise() throws {
    let size = Size(width: 192, height: 144)
    var random = SeededGenerator(seed: 4)
    @Sendable func isPoint(_ x: Int, _ y: Int) -> Bool { x % 16 == 4 && y % 16 == 4 }
    let frames = (0..<8).map { index in
      Exposure(
        LightField { x, y in (index == 4 && isPoint(Int(x), Int(y)) ? 146 : 120, 128, 128) }, size
      ).frame(level: 3, &random, pool: pool)
    }
    let luma = try FrameFusion(pool: pool).fuse(frames, reference: 4, strength: .full).picture.bytes
    let points = (0..<size.pixelCount).filter { isPoint($0 % size.width, $0 / size.width) }.map { Double(luma[$0]) }
    let mean = points.reduce(0, +) / Double(points.count)
    #expect(mean >= 120 + 0.75 * 26)
  }
}
