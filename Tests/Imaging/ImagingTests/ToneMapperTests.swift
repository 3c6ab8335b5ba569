import CaptureCore
import CaptureTestKit
import Foundation
import Imaging
import Testing

/// The formulas of the standards in double precision, to compare the code under test with.
private enum Model {
  /// The light in cd/m² of a PQ sample of 0...1.
  static func light(ofPQ sample: Double) -> Double {
    let power = pow(sample, 32 / 2523.0)
    return 10_000 * pow(max(0, power - 3424 / 4096.0) / (2413 / 128.0 - 2392 / 128.0 * power), 16384 / 2610.0)
  }

  /// - Parameter light: cd/m².
  static func pq(_ light: Double) -> Double {
    let power = pow(light / 10_000, 2610 / 16384.0)
    return pow((3424 / 4096.0 + 2413 / 128.0 * power) / (1 + 2392 / 128.0 * power), 2523 / 32.0)
  }

  static func toBT2020(_ c: [Double]) -> [Double] {
    [
      0.6274 * c[0] + 0.3293 * c[1] + 0.0433 * c[2], 0.0691 * c[0] + 0.9195 * c[1] + 0.0114 * c[2],
      0.0164 * c[0] + 0.0880 * c[1] + 0.8956 * c[2],
    ]
  }
}

/// Pictures of high dynamic range and of ten bits, as ordinary screens show them.
@Suite(.computing) struct ToneMapperTests {
  private static let size = Size(width: 6, height: 4)

  /// A picture of a single colour in P010.
  ///
  /// - Parameter samples: R', G' and B', each of 0...1.
  private func wide(
    _ samples: [Double], range: FrameLayout.Range = .limited, matrix: FrameLayout.Matrix,
    transfer: FrameLayout.Transfer, size: Size = size, pool: FramePool
  ) -> Picture {
    let layout = FrameLayout.packed(.p010, size, range: range, matrix: matrix, transfer: transfer)!
    let (kr, kb) = matrix == .bt2020 ? (0.2627, 0.0593) : matrix == .bt709 ? (0.2126, 0.0722) : (0.299, 0.114)
    let y = kr * samples[0] + (1 - kr - kb) * samples[1] + kb * samples[2]
    let (cb, cr) = ((samples[2] - y) / (2 * (1 - kb)), (samples[0] - y) / (2 * (1 - kr)))
    let (codeY, scale) = range == .full ? (1023 * y, 1023.0) : (64 + 876 * y, 896.0)
    let memory = pool.take(layout.byteCount)!
    let bytes = memory.bytes
    func put(_ index: Int, _ code: Double) {
      bytes.storeBytes(of: UInt16(code.rounded()) << 6, toByteOffset: 2 * index, as: UInt16.self)
    }
    for index in 0..<size.pixelCount { put(index, codeY) }
    for index in 0..<(layout.byteCount / 2 - size.pixelCount) {
      put(size.pixelCount + index, 512 + scale * (index % 2 == 0 ? cb : cr))
    }
    return Picture(layout: layout, buffer: memory.freeze(count: layout.byteCount))
  }

  /// The colour that a screen shows for a picture of PQ and BT.2020, as R', G' and B' of 0...255. The result is exact
  /// only below the knee of the tone curve.
  private func shownExactly(_ picture: Picture) -> RGB {
    let chroma = picture.layout.planes[1].offset
    let codes = picture.buffer.withUnsafeBytes { bytes in
      [0, chroma, chroma + 2].map { Double(bytes.loadUnaligned(fromByteOffset: $0, as: UInt16.self) >> 6) }
    }
    let isFull = picture.layout.range == .full
    let y = isFull ? codes[0] / 1023 : (codes[0] - 64) / 876
    let (cb, cr) = ((codes[1] - 512) / (isFull ? 1023 : 896), (codes[2] - 512) / (isFull ? 1023 : 896))
    let (red, blue) = (y + 1.4746 * cr, y + 1.8814 * cb)
    let green = (y - 0.2627 * red - 0.0593 * blue) / 0.678
    let c = [red, green, blue].map { Model.light(ofPQ: max(0, min(1, $0))) / 203 }
    let light = [
      1.6605 * c[0] - 0.5876 * c[1] - 0.0728 * c[2], -0.1246 * c[0] + 1.1329 * c[1] - 0.0083 * c[2],
      -0.0182 * c[0] - 0.1006 * c[1] + 1.1187 * c[2],
    ].map { 255 * pow(max(0, min(1, $0)), 1 / 2.4) }
    return RGB(light[0], light[1], light[2])
  }

  /// The colour of the first pixel of an NV12 picture.
  private func first(_ picture: Picture) -> YCC {
    let planes = picture.layout.planes
    return picture.buffer.withUnsafeBytes {
      YCC(
        y: Double($0[0]), u: Double($0[planes[1].offset]), v: Double($0[planes[1].offset + 1]),
        range: picture.layout.range, matrix: picture.layout.matrix)
    }
  }

  @Test("B8: colours up to half of a screen's white are shown exactly", arguments: [FrameLayout.Range.limited, .full])
  func exactBelowTheKnee(range: FrameLayout.Range) throws {
    let pool = FramePool(budget: 1 << 20)
    let converter = PictureConverter(pool: pool)
    for bar in Bars.colors {
      // The bars of 75 % have half of a screen's light.
      let shown = [bar.r, bar.g, bar.b].map { $0 / 255 * 0.745 }
      let light = Model.toBT2020(shown.map { 203 * pow($0, 2.4) })
      let picture = wide(light.map(Model.pq), range: range, matrix: .bt2020, transfer: .pq, pool: pool)
      let mapped = try converter.convert(picture, to: .nv12, mapsTones: true)
      #expect(mapped.layout == FrameLayout.packed(.nv12, Self.size, range: .limited, matrix: .bt709))
      let wanted = YCC(shownExactly(picture), range: .limited, matrix: .bt709)
      #expect(first(mapped).distance(to: wanted) <= 1.5, "\(first(mapped)) is not \(wanted)")
      // The camera's ten bits have lost more of saturated colours. That loss is not the mapping's.
      guard bar.r == bar.g, bar.g == bar.b else { continue }
      let original = YCC(RGB(shown[0] * 255, shown[1] * 255, shown[2] * 255), range: .limited, matrix: .bt709)
      #expect(abs(first(mapped).y - original.y) <= 1)
    }
  }

  @Test("B8: highlights keep their steps up to the brightest there is")
  func highlightsAreNotCutOff() throws {
    let pool = FramePool(budget: 1 << 20)
    let converter = PictureConverter(pool: pool)
    let luma = try (0...20).map { step in
      let light = pow(10, 1 + 3 * Double(step) / 20)
      let sample = Model.pq(light)
      let picture = wide([sample, sample, sample], matrix: .bt2020, transfer: .pq, pool: pool)
      return first(try converter.convert(picture, to: .nv12, mapsTones: true)).y
    }
    // Up to 2,500 cd/m², each step of 41 % more light can be seen. Above that, eight bits are too few for all steps.
    for (darker, brighter) in zip(luma, luma[1...16]) { #expect(brighter > darker, "\(luma)") }
    #expect(luma[16] == 233 && luma[20] == 235)
  }

  /// A ten-bit picture without high dynamic range keeps its colours, with and without mapping.
  @Test func tenBitPicturesOfStandardRangeBecomeEightBits() throws {
    let pool = FramePool(budget: 1 << 20)
    let converter = PictureConverter(pool: pool)
    for bar in Bars.colors {
      let picture = wide([bar.r, bar.g, bar.b].map { $0 / 255 }, matrix: .bt709, transfer: .standard, pool: pool)
      let wanted = YCC(bar, range: .limited, matrix: .bt709)
      #expect(first(try converter.convert(picture, to: .nv12, mapsTones: true)).distance(to: wanted) <= 1.3)
      // Without mapping, only the lower bits go.
      let cut = try converter.convert(picture, to: .nv12)
      #expect(cut.layout.matrix == .bt709 && first(cut).distance(to: wanted) <= 1.3)
    }
  }

  @Test func eightBitPQPicturesAreMappedInEveryFormat() throws {
    let pool = FramePool(budget: 1 << 20)
    let converter = PictureConverter(pool: pool)
    let sample = (255 * Model.pq(80)).rounded()
    let light = Model.light(ofPQ: sample / 255)
    let wanted = 16 + 219 * pow(light / 203, 1 / 2.4)
    for format in PixelFormat.uncompressed where format != .grey {
      var picture = draw(format, Size(width: 6, height: 4), range: .full, pool: pool) { _, _ in
        RGB(sample, sample, sample)
      }
      picture.layout.transfer = .pq
      let mapped = first(try converter.convert(picture, to: .nv12, mapsTones: true))
      #expect(mapped.distance(to: YCC(y: wanted, u: 128, v: 128, range: .limited, matrix: .bt709)) <= 1.5, "\(format)")
    }
  }

  /// A reader that does not ask for mapping gets PQ samples and is told that they are PQ.
  @Test func withoutMappingSamplesTransferAndMatrixStay() throws {
    let pool = FramePool(budget: 1 << 20)
    let picture = wide([0.58, 0.58, 0.58], matrix: .bt2020, transfer: .pq, pool: pool)
    let converted = try PictureConverter(pool: pool).convert(picture, to: .nv12)
    #expect(converted.layout.transfer == .pq && converted.layout.matrix == .bt2020)
    #expect(first(converted).y == 143)
  }

  /// The encoder for JPEG maps tones by itself, so that every program shows the picture right.
  @Test func jpegPicturesAreToneMapped() throws {
    let pool = FramePool(budget: 1 << 20)
    let sample = Model.pq(50)
    let size = Size(width: 5, height: 3)
    let picture = wide([sample, sample, sample], matrix: .bt2020, transfer: .pq, size: size, pool: pool)
    let jpeg = try JPEGEncoder(pool: pool).encode(picture, quality: 95)
    let luma = first(try PictureConverter(pool: pool).convert(jpeg, to: .nv12)).y
    #expect(abs(luma - 255 * pow(50 / 203.0, 1 / 2.4)) <= 2)
  }

  /// Turning loses neither bits nor the transfer function.
  @Test func aTurnedTenBitPictureKeepsItsFormat() throws {
    let pool = FramePool(budget: 1 << 20)
    let picture = wide([0.5, 0.5, 0.5], matrix: .bt2020, transfer: .pq, pool: pool)
    let turned = try PictureConverter(pool: pool).convert(
      picture, to: .p010, orientation: Orientation(rotation: .quarter))
    #expect(turned.layout.transfer == .pq && turned.layout.size == Size(width: 4, height: 6))
    let code = turned.buffer.withUnsafeBytes { $0.loadUnaligned(as: UInt16.self) }
    #expect(code >> 8 == (64 + 438) >> 2)
  }
}
