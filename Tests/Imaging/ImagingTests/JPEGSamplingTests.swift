import CaptureCore
import CaptureTestKit
import Imaging
import Testing

/// Pictures with any sampling factors in their headers. The decoder reads each plane as far as the plane goes, or
/// refuses the picture.
@Suite(.computing) struct JPEGSamplingTests {
  typealias Factors = PlainJPEG.Factors
  let pool = FramePool(budget: 64 << 20)
  let size = Size(width: 46, height: 38)

  private func picture(_ factors: [Factors]) -> Picture {
    compressedPicture(PlainJPEG(factors: factors, size: size).bytes, size, pool: pool)
  }

  /// Each plane has a value of its own, so that samples from beyond a plane would show.
  @Test(arguments: Factors.all) func lumaAndChromaMayDifferInAnyWay(luma: Factors) throws {
    let decoder = JPEGDecoder(pool: pool)
    for chroma in Factors.all {
      let jpeg = picture([luma, chroma, chroma])
      for wanted in [size, Size(width: 22, height: 18), Size(width: 60, height: 42)] {
        let pixels = wanted.pixelCount
        let planar = try decoder.decode(jpeg, to: .yuv420, size: wanted).bytes
        let packed = try decoder.decode(jpeg, to: .yuyv, size: wanted).bytes
        let chromaPixels = (planar.count - pixels) / 2
        let planes = [
          planar.prefix(pixels), planar.dropFirst(pixels).prefix(chromaPixels), planar.suffix(chromaPixels),
        ]
        for (plane, value) in zip(planes, PlainJPEG.color) {
          #expect(plane.allSatisfy { abs(Int($0) - Int(value)) <= 1 }, "\(chroma) to \(wanted)")
        }
        let pair = [0, 1, 0, 2].map { Int(PlainJPEG.color[$0]) }
        #expect(packed.enumerated().allSatisfy { abs(Int($1) - pair[$0 % 4]) <= 1 }, "\(chroma) to \(wanted)")
      }
    }
  }

  /// The decoder refuses a picture as damaged when the factors of Cb differ from those of Cr.
  @Test(arguments: Factors.all) func theTwoChromaPlanesMustNotDiffer(cb: Factors) {
    let decoder = JPEGDecoder(pool: pool)
    for cr in Factors.all {
      let reason = reason { try decoder.decode(picture([Factors(h: 2, v: 2), cb, cr])) }
      #expect(reason == (cb == cr ? nil : .frameDamaged), "\(cb) and \(cr)")
    }
  }
}
