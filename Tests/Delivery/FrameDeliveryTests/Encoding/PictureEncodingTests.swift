import CaptureCore
import CaptureTestKit
import Imaging
import Testing

@testable import FrameDelivery

/// The real codecs, used as the encoder thread uses them.
@Suite struct PictureEncodingTests {
  static let size = Size(width: 128, height: 72)
  let pool = FramePool(budget: 16 << 20)

  /// A picture of a single grey. Only NV12 takes `luma`; in every other format all bytes are 128.
  func grey(_ format: PixelFormat, _ luma: UInt8) -> Picture {
    let layout = FrameLayout.packed(format, Self.size)!
    let frame = Frame.fake(sequence: 1, at: 1, layout: layout, filledWith: 128)!
    guard format == .nv12 else { return frame.picture }
    let memory = pool.take(layout.byteCount)!
    for index in 0..<layout.byteCount { memory.bytes[index] = index < Self.size.pixelCount ? luma : 128 }
    return Picture(layout: layout, buffer: memory.freeze(count: layout.byteCount))
  }

  func key(_ encoding: PreviewEncoding, _ size: Size = size) -> EncodingKey {
    EncodingKey(format: encoding.pixelFormat, quality: encoding == .jpeg ? 80 : 0, size: size)
  }

  /// A raw picture is scaled and compressed, and the camera's own JPEG can be decoded for readers of raw pictures.
  @Test func rawBecomesJPEGAndBack() throws {
    let encode = PictureEncoding.encoder(pool)
    let half = Size(width: 64, height: 36)
    let jpeg = try encode(grey(.nv12, 180), key(.jpeg, half))
    #expect(jpeg.layout.pixelFormat == .jpeg && jpeg.layout.size == half)
    #expect(jpeg.buffer.withUnsafeBytes { Array($0[0..<2]) } == [0xff, 0xd8])
    let raw = try encode(jpeg, key(.nv12, half))
    #expect(raw.layout.pixelFormat == .nv12 && raw.layout.size == half)
    let luma = raw.buffer.withUnsafeBytes { Int($0[64 * 10]) }
    // JPEG has full range: (180 - 16) * 255 / 219.
    #expect(abs(luma - 191) <= 2)
  }

  /// Readers of raw pictures get packed lines in their own format and size.
  @Test(arguments: [PreviewEncoding.nv12, .yuyv]) func rawIsConvertedAndScaled(encoding: PreviewEncoding) throws {
    let encode = PictureEncoding.encoder(pool)
    let picture = try encode(grey(.yuyv, 0), key(encoding, Size(width: 32, height: 18)))
    #expect(picture.layout == FrameLayout.packed(encoding.pixelFormat, Size(width: 32, height: 18)))
    #expect(picture.buffer.withUnsafeBytes { $0.allSatisfy { abs(Int($0) - 128) <= 1 } })
  }

  /// Readers get raw pictures without the padding of the camera's lines.
  @Test func paddingIsRemoved() throws {
    var layout = FrameLayout.packed(.nv12, Self.size)!
    layout.planes = [
      FrameLayout.Plane(offset: 16, stride: 160, rows: 72),
      FrameLayout.Plane(offset: 16 + 160 * 72 + 32, stride: 144, rows: 36),
    ]
    let memory = pool.take(layout.byteCount)!
    for index in 0..<layout.byteCount { memory.bytes[index] = 0xee }
    for plane in layout.planes {
      for row in 0..<plane.rows {
        for column in 0..<128 { memory.bytes[plane.offset + row * plane.stride + column] = UInt8(row) }
      }
    }
    let padded = Picture(layout: layout, buffer: memory.freeze(count: layout.byteCount))
    let packed = try PictureEncoding.encoder(pool)(padded, key(.nv12))
    #expect(packed.layout == FrameLayout.packed(.nv12, Self.size))
    packed.buffer.withUnsafeBytes { bytes in
      for row in 0..<72 { #expect(bytes[row * 128] == UInt8(row) && bytes[row * 128 + 127] == UInt8(row)) }
      for row in 0..<36 { #expect(bytes[128 * 72 + row * 128 + 127] == UInt8(row)) }
    }
  }

  /// Bytes that are no JPEG, a format that the codecs cannot read, and planes outside of the memory each have their own
  /// error.
  @Test func brokenPicturesAreRefused() throws {
    let encode = PictureEncoding.encoder(pool)
    let broken = Frame.fake(sequence: 1, at: 1, layout: FrameLayout.packed(.mjpeg, Self.size)!)!.picture
    #expect(#expect(throws: CaptureError.self) { try encode(broken, key(.nv12)) }?.reason == .frameDamaged)
    let unknown = Picture(
      layout: FrameLayout(pixelFormat: PixelFormat(fourCC: "RGGB")!, size: Self.size, planes: []), buffer: broken.buffer
    )
    #expect(#expect(throws: CaptureError.self) { try encode(unknown, key(.jpeg)) }?.reason == .formatNotSupported)
    var short = grey(.nv12, 1)
    short.layout.planes[1].offset += 4096
    #expect(#expect(throws: CaptureError.self) { try encode(short, key(.nv12)) }?.reason == .processingFailed)
  }

  /// A picture for which the pool has no memory fails with `outOfBuffers`, in every encoding.
  @Test func usedUpMemoryIsReportedAsOutOfBuffers() throws {
    let encode = PictureEncoding.encoder(FramePool(budget: 4096))
    for encoding in PreviewEncoding.allCases {
      let error = #expect(throws: CaptureError.self) { try encode(grey(.yuyv, 0), key(encoding)) }
      #expect(error?.reason == .outOfBuffers)
    }
  }

  /// The encoder decodes a camera's own JPEG, turns the picture and compresses it anew.
  @Test func jpegIsTurned() throws {
    let layout = FrameLayout.packed(.nv12, Self.size)!
    let memory = pool.take(layout.byteCount)!
    // The picture is dark above and bright below, without colour.
    let half = Self.size.pixelCount / 2
    for index in 0..<layout.byteCount { memory.bytes[index] = index < half ? 40 : index < 2 * half ? 200 : 128 }
    let encode = PictureEncoding.encoder(pool)
    var camera = try encode(Picture(layout: layout, buffer: memory.freeze(count: layout.byteCount)), key(.jpeg))
    camera.layout.pixelFormat = .mjpeg
    let turned = EncodingKey(
      format: .jpeg, quality: 90, size: Size(width: 72, height: 128), orientation: Orientation(rotation: .quarter))
    let result = try encode(try encode(camera, turned), key(.nv12, turned.size))
    // The turn is clockwise, so the lower half is on the left now.
    let (left, right) = result.buffer.withUnsafeBytes { ($0[72 * 60 + 5], $0[72 * 60 + 66]) }
    #expect(left > 180 && right < 60)
  }
}

extension PictureEncoding {
  /// The real encoder for formats whose pictures can be decoded alone.
  static func encoder(_ pool: FramePool) -> (Picture, EncodingKey) throws(CaptureError) -> Picture {
    let encode = make(pool)
    return { (picture, key) throws(CaptureError) in try encode(picture, key, nil, false).picture }
  }
}
