import CaptureCore
import Imaging
import PhotoFusion
import Testing

@Suite struct QuietDarkTests {
  let pool = FramePool(budget: 64 << 20)

  /// A dark scene with hardly any noise, as cameras that smooth over time give it: less than rounding makes. No model of it
  /// may say less than none for what is bright, or whatever is different there counts as the same: here a light that is
  /// on in the reference only, between the tiles that noise is estimated from.
  @Test(arguments: [5, 6, 7, 9, 12])
  func aLightInAQuietDarkSceneStaysLit(percent: UInt64) throws {
    let size = Size(width: 192, height: 144)
    var random = SeededGenerator(state: 1)
    let frames = (0..<8).map { index in
      let scene = LightField { x, y in
        if index == 4, (60..<140).contains(x), (48..<64).contains(y) { return (230, 128, 128) }
        var place = SeededGenerator(state: UInt64(index) << 32 + UInt64(y) << 16 + UInt64(x))
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

  /// Flat bars without noise and a counter that changes with every frame, as test pictures have: only the counter's squares
  /// differ, and they are no noise. The reference's digits stay as they are.
  @Test(arguments: [2, 3, 8]) func aCounterOnACleanPictureIsTheReferences(count: Int) throws {
    let size = Size(width: 640, height: 360)
    var random = SeededGenerator(state: 2)
    @Sendable func isLit(_ x: Double, _ y: Double, _ index: Int) -> Bool {
      guard (128..<144).contains(x), (18..<28).contains(y) else { return false }
      var place = SeededGenerator(state: UInt64(index) << 32 + UInt64(y) << 16 + UInt64(x) / 2)
      return place.next() % 2 == 0
    }
    let frames = (0..<count).map { index in
      let scene = LightField { x, y in
        let isText = (16..<160).contains(x) && (16..<32).contains(y)
        return (isText ? isLit(x, y, index) ? 180 : 0 : Double(20 + 25 * (Int(x) / 80)), 128, 128)
      }
      return Exposure(scene, size).frame(level: 0, &random, pool: pool)
    }
    let fused = try FrameFusion(pool: pool).fuse(frames, reference: 1, strength: .full)
    let luma = fused.picture.bytes
    let worst = (18..<28).flatMap { y in
      (128..<144).map { x in abs(Int(luma[y * size.width + x]) - (isLit(Double(x), Double(y), 1) ? 180 : 0)) }
    }.max()
    #expect(worst! <= 20)
  }
}
