import CaptureCore
import CaptureTestKit
import Foundation
import Imaging
import PhotoFusion
import Testing

/// The light of a scene, and the pictures that a linear camera makes of the scene.
private struct Radiance {
  static let size = Size(width: 192, height: 96)

  /// The light at a place. The dark half has a four-hundredth of the light of the bright half, and both halves have the
  /// same texture.
  static func light(_ x: Int, _ y: Int) -> Double {
    let texture = 1 + 0.5 * sin(Double(x) * 0.8) * cos(Double(y) * 0.6)
    return (x < size.width / 2 ? 0.01 : 4) * texture
  }

  /// The columns of each half, without those near its edges.
  static let halves = [16..<size.width / 2 - 16, size.width / 2 + 16..<size.width - 16]

  static func picture(_ exposure: Double, range: FrameLayout.Range, pool: FramePool) -> Picture {
    let (black, white) = range == .full ? (0.0, 255.0) : (16.0, 235.0)
    return Picture.make(size, range: range, pool: pool) { plane, x, y in
      plane == 0 ? black + (white - black) * min(1, light(x, y) * exposure) : 128
    }
  }
}

extension Picture {
  fileprivate static func make(
    _ size: Size, _ format: PixelFormat = .yuv420, range: FrameLayout.Range = .full, pool: FramePool,
    _ value: (_ plane: Int, _ x: Int, _ y: Int) -> Double
  ) -> Picture {
    let layout = FrameLayout.packed(format, size, range: range)!
    let memory = pool.take(layout.byteCount)!
    for (index, plane) in layout.planes.enumerated() {
      let (columns, rows) = index == 0 ? (size.width, size.height) : ((size.width + 1) / 2, (size.height + 1) / 2)
      for y in 0..<rows {
        for x in 0..<columns { memory.bytes[plane.offset + y * plane.stride + x] = UInt8(value(index, x, y).rounded()) }
      }
    }
    return Picture(layout: layout, buffer: memory.freeze(count: layout.byteCount))
  }

  fileprivate func values(_ plane: Int = 0, _ x: Range<Int>, _ y: Range<Int>) -> [Double] {
    let (place, bytes) = (layout.planes[plane], bytes)
    return y.flatMap { y in x.map { x in Double(bytes[place.offset + y * place.stride + x]) } }
  }

  /// The standard deviation of luma in the given columns.
  fileprivate func contrast(_ x: Range<Int>) -> Double {
    let values = values(0, x, 16..<layout.size.height - 16)
    let mean = values.reduce(0, +) / Double(values.count)
    return (values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(values.count)).squareRoot()
  }
}

/// Photos that are fused from several exposures of one scene.
@Suite(.computing) struct ExposureFusionTests {
  let pool = FramePool(budget: 256 << 20)

  /// The photo shows in each half the texture that some exposures have lost there. No other ground truth exists for the
  /// fusion of exposures.
  @Test(arguments: [FrameLayout.Range.full, .limited])
  func textureThatExposuresLoseIsInThePhoto(_ range: FrameLayout.Range) throws {
    let exposures = [1.0 / 8, 1, 32].map { Radiance.picture($0, range: range, pool: pool) }
    let photo = try ExposureFusion(pool: pool).fuse(exposures, reference: 1).picture
    let best = Radiance.halves.map { half in exposures.map { $0.contrast(half) }.max()! }
    for exposure in exposures {
      let shares = zip(Radiance.halves, best).map { exposure.contrast($0) / $1 }
      #expect(shares.min()! < 0.07, "the scene has more range than an exposure")
    }
    for (half, best) in zip(Radiance.halves, best) { #expect(photo.contrast(half) > 0.5 * best) }
    #expect(photo.layout == exposures[0].layout)
    let all = photo.values(0, 0..<Radiance.size.width, 0..<Radiance.size.height)
    #expect(range == .full || all.allSatisfy { (16...235).contains($0) })
    // The dark half stays darker than the bright half.
    let means = Radiance.halves.map { half in photo.values(0, half, 0..<96).reduce(0, +) / Double(half.count * 96) }
    #expect(means[0] < means[1])
  }

  @Test(arguments: [PixelFormat.nv12, .yuyv, .bgr24, .grey])
  func everyFormatIsFused(_ format: PixelFormat) throws {
    let converter = PictureConverter(pool: pool)
    let exposures = try [1.0 / 8, 1, 32].map {
      try converter.convert(Radiance.picture($0, range: .full, pool: pool), to: format)
    }
    let photo = try ExposureFusion(pool: pool).fuse(exposures, reference: 1).picture
    #expect(photo.layout.pixelFormat == (format == .grey ? .grey : .yuv420))
    for half in Radiance.halves { #expect(photo.contrast(half) > 10) }
  }

  /// Equal exposures give the picture itself, whatever their number and whichever is the reference.
  @Test(arguments: [1, 2, 3, 8])
  func equalExposuresGiveThePictureItself(_ count: Int) throws {
    var random = SeededGenerator(seed: 7)
    let picture = Picture.make(Size(width: 131, height: 77), pool: pool) { _, _, _ in
      Double.random(in: 0...255, using: &random)
    }
    let photo = try ExposureFusion(pool: pool).fuse(Array(repeating: picture, count: count), reference: count - 1)
      .picture
    #expect(zip(photo.bytes, picture.bytes).allSatisfy { abs(Int($0) - Int($1)) <= 1 })
  }

  /// The sizes have edges, odd sides, and fewer samples than any loop takes at once.
  @Test(arguments: [(1, 1), (2, 1), (1, 2), (3, 5), (17, 31), (128, 2), (129, 67), (257, 1), (640, 360)])
  func wallsStayFlatAtEverySize(_ width: Int, _ height: Int) throws {
    let size = Size(width: width, height: height)
    let exposures = [60.0, 120, 220].map { value in
      Picture.make(size, pool: pool) { plane, _, _ in plane == 0 ? value : plane == 1 ? 100 : 150 }
    }
    let photo = try ExposureFusion(pool: pool).fuse(exposures, reference: 1).picture
    let luma = photo.values(0, 0..<width, 0..<height)
    #expect(luma.max()! - luma.min()! <= 1)
    #expect((110...135).contains(luma[0]), "the exposure in the middle counts most")
    #expect(photo.values(1, 0..<(width + 1) / 2, 0..<(height + 1) / 2).allSatisfy { abs($0 - 100) <= 1 })
    #expect(photo.values(2, 0..<(width + 1) / 2, 0..<(height + 1) / 2).allSatisfy { abs($0 - 150) <= 1 })
  }

  /// A burnt-out exposure has lost its colour, so the exposure that has the colour counts.
  @Test func colourComesFromTheExposureThatHasIt() throws {
    let size = Size(width: 64, height: 48)
    let red = Picture.make(size, pool: pool) { plane, _, _ in [90, 110, 180][plane] }
    let burnt = Picture.make(size, pool: pool) { plane, _, _ in [255, 128, 128][plane] }
    let photo = try ExposureFusion(pool: pool).fuse([burnt, red], reference: 0).picture
    #expect(photo.values(2, 0..<32, 0..<24).allSatisfy { $0 > 170 })
  }

  /// The photo is made of the other exposures, and the count says so. Without the reference there is no photo.
  @Test func aDamagedExposureIsLeftOutUnlessItIsTheReference() throws {
    let encoder = JPEGEncoder(pool: pool)
    let whole = try [1.0 / 8, 1, 32].map {
      try encoder.encode(Radiance.picture($0, range: .full, pool: pool), quality: 95)
    }
    // A JPEG is cut off, as one of a USB camera may be.
    let cut = whole.map { jpeg in
      var jpeg = jpeg
      let bytes = jpeg.bytes.prefix(jpeg.bytes.count / 2)
      let memory = pool.take(bytes.count)!
      memory.bytes.copyBytes(from: bytes)
      jpeg.buffer = memory.freeze(count: bytes.count)
      return jpeg
    }
    let fusion = ExposureFusion(pool: pool)
    let photo = try fusion.fuse([whole[0], whole[1], cut[2]], reference: 1)
    #expect(photo.count == 2)
    #expect(try photo.picture.bytes == fusion.fuse([whole[0], whole[1]], reference: 1).picture.bytes)
    let alone = try fusion.fuse([cut[0], whole[1], cut[2]], reference: 1)
    #expect(alone.count == 1 && alone.picture.buffer === whole[1].buffer)
    #expect(reason { try fusion.fuse([whole[0], cut[1], whole[2]], reference: 1) } == .frameDamaged)
  }

  @Test func invalidExposuresAreRefused() throws {
    let fusion = ExposureFusion(pool: pool)
    let size = Size(width: 32, height: 16)
    let picture = Picture.make(size, pool: pool) { _, _, _ in 100 }
    let other = Picture.make(Size(width: 16, height: 32), pool: pool) { _, _, _ in 100 }
    #expect(reason { try fusion.fuse([], reference: 0) } == .invalidArgument)
    #expect(reason { try fusion.fuse(Array(repeating: picture, count: 9), reference: 0) } == .invalidArgument)
    #expect(reason { try fusion.fuse([picture, other], reference: 0) } == .invalidArgument)
    #expect(reason { try fusion.fuse([picture, picture], reference: 2) } == .invalidArgument)
    #expect(
      reason { try fusion.fuse([picture, picture], reference: 0, shouldStop: { true }) } == .operationInterrupted)
    #expect(
      reason { try ExposureFusion(pool: FramePool(budget: 0)).fuse([picture, picture], reference: 0) } == .outOfBuffers)
  }

  /// The fusion works in memory of its pool only, so the pool's budget bounds it. Afterwards only the memory of the
  /// photo is in use.
  @Test func allMemoryComesFromThePoolAndReturns() throws {
    let size = Size(width: 640, height: 480)
    let exposures = (0..<5).map { index in
      Picture.make(size, .grey, pool: pool) { _, x, _ in Double((x * (index + 1)) % 256) }
    }
    let colored = try exposures.map { try PictureConverter(pool: pool).convert($0, to: .nv12) }
    let working = FramePool(budget: 26 * size.pixelCount)
    let photo = try ExposureFusion(pool: working).fuse(colored, reference: 0).picture
    working.reclaim()
    #expect(working.usage.allocated == 4096 * ((photo.buffer.count + 4095) / 4096), "only the photo's memory is in use")
  }
}
