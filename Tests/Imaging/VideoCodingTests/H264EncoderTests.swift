import CaptureCore
import Imaging
import Testing

@testable import VideoCoding

/// The encoder for H.264: its key frames, its errors and its quality.
@Suite struct H264EncoderTests {
  let pool = FramePool(budget: 16 << 20)

  /// A grey picture of the given luma. Each line has padding after it, which must not show.
  func picture(_ luma: UInt8, _ size: Size = Size(width: 160, height: 96)) -> Picture {
    let stride = size.width + 32
    let layout = FrameLayout(
      pixelFormat: .nv12, size: size,
      planes: [
        FrameLayout.Plane(offset: 64, stride: stride, rows: size.height),
        FrameLayout.Plane(offset: 64 + stride * size.height, stride: stride, rows: size.height / 2),
      ])
    let memory = pool.take(layout.byteCount)!
    for index in 0..<layout.byteCount { memory.bytes[index] = 255 }
    for plane in layout.planes {
      for row in 0..<plane.rows {
        for column in 0..<size.width {
          memory.bytes[plane.offset + row * stride + column] = plane.rows == size.height ? luma : 128
        }
      }
    }
    return Picture(layout: layout, buffer: memory.freeze(count: layout.byteCount))
  }

  /// The types of the NAL units in an Annex B picture (ITU-T H.264, table 7-1).
  static func units(_ picture: Picture) -> [UInt8] {
    let bytes = picture.buffer.withUnsafeBytes { Array($0) }
    var types: [UInt8] = []
    for index in bytes.indices.dropLast(3) where Array(bytes[index..<index + 3]) == [0, 0, 1] {
      types.append(bytes[index + 3] & 0x1f)
    }
    return types
  }

  /// The encoder holds no picture back, and each key frame can be decoded by a reader that begins with it.
  @Test func eachPictureComesAtOnceAndOnlyKeyFramesHaveParameterSets() throws {
    let encoder = H264Encoder(pool: pool, allowsHardware: false)
    for number in 0..<90 {
      let coded = try encoder.encode(picture(UInt8(20 + number)), quality: 80, forcesKeyFrame: number == 40)
      let units = Self.units(coded.picture)
      #expect(coded.isKeyFrame == (number == 0 || number == 40))
      #expect(units.contains(5) == coded.isKeyFrame && units.contains(1) == !coded.isKeyFrame)
      #expect(units.contains(7) == coded.isKeyFrame && units.contains(8) == coded.isKeyFrame)
      #expect(coded.picture.layout.pixelFormat == .h264 && coded.picture.layout.size == Size(width: 160, height: 96))
    }
  }

  /// A reader can decode the first picture of a new size or quality without an earlier picture.
  @Test func anotherSizeOrQualityBeginsWithAKeyFrame() throws {
    let encoder = H264Encoder(pool: pool, allowsHardware: false)
    let small = Size(width: 64, height: 48)
    let changes: [(Picture, Int)] = [(picture(1), 80), (picture(1, small), 80), (picture(1, small), 40)]
    for (picture, quality) in changes {
      #expect(try encoder.encode(picture, quality: quality, forcesKeyFrame: false).isKeyFrame)
      #expect(try !encoder.encode(picture, quality: quality, forcesKeyFrame: false).isKeyFrame)
    }
  }

  /// Most machines have no hardware that encodes H.264. There, an encoder that may use such hardware works like one
  /// that may not.
  @Test func withoutHardwareTheSoftwareEncodes() throws {
    let encoder = H264Encoder(pool: pool, allowsHardware: true)
    #expect(try encoder.encode(picture(100), quality: 80, forcesKeyFrame: true).isKeyFrame)
  }

  /// Planes outside of the memory, an odd size and another pixel format are errors, not crashes.
  @Test func unreadablePicturesAreRefused() throws {
    let encoder = H264Encoder(pool: pool, allowsHardware: false)
    var short = picture(1)
    short.layout.planes[1].offset += 1 << 16
    var odd = picture(1)
    odd.layout.size.width = 159
    var other = picture(1)
    other.layout.pixelFormat = .yuyv
    for broken in [short, odd, other] {
      let error = #expect(throws: CaptureError.self) {
        try encoder.encode(broken, quality: 80, forcesKeyFrame: false)
      }
      #expect(error?.reason == .formatNotSupported)
    }
  }

  /// A picture for which the pool has no memory is lost, and the encoder goes on with the next one.
  @Test func usedUpMemoryLosesOnePicture() throws {
    let tight = FramePool(budget: 4096)
    let encoder = H264Encoder(pool: tight, allowsHardware: false)
    let held = tight.take(4096)
    let error = #expect(throws: CaptureError.self) {
      try encoder.encode(picture(1), quality: 80, forcesKeyFrame: false)
    }
    #expect(error?.reason == .outOfBuffers)
    _ = consume held
    #expect(try encoder.encode(picture(1), quality: 80, forcesKeyFrame: true).isKeyFrame)
  }

  /// The quality of a request, 1 to 100, becomes a quantizer of 51 to 16.
  @Test func qualityBecomesAQuantizer() {
    #expect(H264Encoder.quantizer(80) == 23 && H264Encoder.quantizer(100) == 16 && H264Encoder.quantizer(1) == 51)
  }
}
