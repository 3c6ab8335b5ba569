import CaptureCore
import CaptureTestKit
import Imaging
import Testing

/// The decoder for JPEG, with every sampling that cameras send, in every size, and with damaged pictures.
@Suite(.computing) struct JPEGDecoderTests {
  let pool = FramePool(budget: 64 << 20)
  let size = Size(width: 243, height: 21)

  struct Sample: CustomTestStringConvertible {
    var testDescription: String
    var bytes: [UInt8]
    static let all = [
      Sample(testDescription: "4:2:2", bytes: Samples.yuv422), Sample(testDescription: "4:4:4", bytes: Samples.yuv444),
      Sample(testDescription: "4:4:0", bytes: Samples.yuv440), Sample(testDescription: "4:1:1", bytes: Samples.yuv411),
      Sample(testDescription: "progressive", bytes: Samples.progressive),
      Sample(testDescription: "restarts", bytes: Samples.restarts),
    ]
  }

  /// Every sampling decodes to the same colour bars in every raw format.
  @Test(arguments: Sample.all, [PixelFormat.yuv420, .nv12, .yuyv])
  func decodesEverySampling(_ sample: Sample, _ format: PixelFormat) throws {
    let picture = compressedPicture(sample.bytes, size, pool: pool)
    let decoded = try JPEGDecoder(pool: pool).decode(picture, to: format)
    #expect(decoded.layout == FrameLayout.packed(format, size, range: .full))
    #expect(decoded.errorAgainstBars() <= 2)
  }

  /// Halves, quarters and eighths come from the inverse DCT. Other sizes come from the scaler, which works on the
  /// result of the inverse DCT.
  @Test(arguments: Sample.all)
  func scalesWhileDecoding(_ sample: Sample) throws {
    let picture = compressedPicture(sample.bytes, size, pool: pool)
    let decoder = JPEGDecoder(pool: pool)
    for (width, height) in [(122, 11), (121, 10), (61, 6), (60, 5), (100, 20), (486, 42)] {
      let decoded = try decoder.decode(picture, size: Size(width: width, height: height))
      #expect(decoded.layout.size == Size(width: width, height: height))
      decoded.withPixels { pixel in
        for bar in 0..<7 {
          let (found, expected) = (YCC(pixel((bar * 32 + 16) * width / size.width, height / 2)), YCC(Bars.colors[bar]))
          #expect(found.distance(to: expected) <= 3, "bar \(bar) at \(width) x \(height)")
        }
      }
    }
  }

  @Test func greyComesWithNeutralChroma() throws {
    let picture = draw(.grey, Size(width: 40, height: 24), pool: pool) { x, _ in RGB(Double(x), Double(x), Double(x)) }
    let jpeg = try JPEGEncoder(pool: pool).encode(picture, quality: 90)
    for size in [Size(width: 40, height: 24), Size(width: 20, height: 12), Size(width: 13, height: 7)] {
      let decoded = try JPEGDecoder(pool: pool).decode(jpeg, to: .yuv420, size: size)
      #expect(decoded.bytes[size.pixelCount...].allSatisfy { $0 == 128 })
    }
  }

  /// A progressive picture of 8 by 8 pixels with any number of equal scans.
  private func progressive(scans: Int) -> [UInt8] {
    var bytes: [UInt8] = [0xff, 0xd8, 0xff, 0xdb, 0, 67, 0] + [UInt8](repeating: 1, count: 64)
    bytes += [0xff, 0xc2, 0, 11, 8, 0, 8, 0, 8, 1, 1, 0x11, 0]
    bytes += [0xff, 0xc4, 0, 20, 0, 1] + [UInt8](repeating: 0, count: 16)
    for _ in 0..<scans { bytes += [0xff, 0xda, 0, 8, 1, 1, 0, 0, 0, 0, 0x7f] }
    return bytes + [0xff, 0xd9]
  }

  /// A scan takes 11 bytes and costs a pass through the whole picture, so a small file could cost much time. The
  /// decoder therefore refuses more than 100 scans.
  @Test func theNumberOfScansIsBounded() {
    let decoder = JPEGDecoder(pool: pool)
    func outcome(scans: Int) -> CaptureError.Reason? {
      reason { try decoder.decode(compressedPicture(progressive(scans: scans), Size(width: 8, height: 8), pool: pool)) }
    }
    #expect(outcome(scans: 100) == nil)
    #expect(outcome(scans: 101) == .frameDamaged)
    #expect(outcome(scans: 1) == nil, "the decoder goes on")
  }

  /// A picture that is cut off, or has another size than the camera claims, is damaged. A JPEG without YCbCr cannot be
  /// read.
  @Test func damagedPicturesAreRefused() throws {
    let decoder = JPEGDecoder(pool: pool)
    func outcome(_ bytes: [UInt8], _ claimed: Size? = nil) -> CaptureError.Reason? {
      reason { try decoder.decode(compressedPicture(bytes, claimed ?? size, pool: pool)) }
    }
    for (sample, count) in Sample.all.flatMap({ sample in
      stride(from: 0, to: sample.bytes.count - 2, by: 7).map { (sample, $0) }
    }) {
      #expect(
        outcome(Array(sample.bytes.prefix(count))) == .frameDamaged, "\(sample.testDescription) cut at \(count)")
    }
    #expect(outcome(Array(repeating: 0, count: 1000)) == .frameDamaged)
    #expect(outcome(Samples.yuv422, Size(width: 244, height: 21)) == .frameDamaged)
    #expect(outcome(Samples.rgb) == .formatNotSupported)
    // For a picture in several scans, libjpeg needs memory of its own. These heads have no scan behind them.
    #expect(outcome(progressiveHead(side: 10_000), Size(width: 10_000, height: 10_000)) == .formatNotSupported)
    #expect(outcome(progressiveHead(side: 240), Size(width: 240, height: 240)) == .frameDamaged)
    // Stray bytes are not damage, because some cameras pad after the picture or between segments.
    #expect(outcome(Samples.yuv422 + Array(repeating: 0, count: 100)) == nil)
    #expect(outcome(Array(Samples.yuv422.prefix(2)) + [0, 0, 0] + Array(Samples.yuv422.dropFirst(2))) == nil)
    #expect(reason { try decoder.decode(draw(.nv12, size, pool: pool)) } == .formatNotSupported)
  }

  /// Mutated pictures never crash the decoder, never make it write out of bounds (which AddressSanitizer would report),
  /// and leave it usable.
  @Test func survivesTwoThousandMutations() throws {
    var generator = SeededGenerator(seed: 42)
    let decoder = JPEGDecoder(pool: pool)
    var (decoded, refused) = (0, 0)
    for round in 0..<2000 {
      var bytes = Sample.all[round % Sample.all.count].bytes
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        let place = Int.random(in: 0..<bytes.count, using: &generator)
        switch Int.random(in: 0..<5, using: &generator) {
        case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        case 1: bytes[place] = UInt8.random(in: 0...255, using: &generator)
        case 2: bytes.remove(at: place)
        case 3: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: place)
        default: bytes.insert(contentsOf: bytes.suffix(from: bytes.count - place / 4), at: place)
        }
      }
      let target = [nil, Size(width: 60, height: 5), Size(width: 121, height: 10)][round % 3]
      do throws(CaptureError) {
        let result = try decoder.decode(compressedPicture(bytes, size, pool: pool), size: target)
        #expect(result.layout.size == target ?? size)
        decoded += 1
      } catch {
        #expect(error.reason == .frameDamaged || error.reason == .formatNotSupported)
        refused += 1
      }
    }
    #expect(decoded > 100 && refused > 100)
    let intact = try decoder.decode(compressedPicture(Samples.yuv422, size, pool: pool))
    #expect(intact.errorAgainstBars() <= 2)
  }
}

/// The head of a progressive JPEG picture in 4:2:0: its size, and that its first scan has the first luma coefficients.
private func progressiveHead(side: Int) -> [UInt8] {
  let sides = [UInt8(side >> 8), UInt8(side & 0xff)]
  let frame: [UInt8] = [0xff, 0xc2, 0, 17, 8] + sides + sides + [3, 1, 0x22, 0, 2, 0x11, 0, 3, 0x11, 0]
  return [0xff, 0xd8] + frame + [0xff, 0xda, 0, 8, 1, 1, 0, 0, 0, 0]
}
