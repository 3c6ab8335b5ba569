import CaptureCore
import CaptureTestKit
import Imaging
import Testing

@testable import PhotoCapture

/// The real codec, as the worker uses it.
@Suite struct PhotoEncodingTests {
  static let size = Size(width: 128, height: 72)

  @Test func rawBecomesJPEG() throws {
    let encode = PhotoEncoding.make(FramePool(budget: 16 << 20))
    let frame = Frame.fake(sequence: 1, at: 1, layout: .packed(.yuyv, Self.size)!)!
    let (good, poor) = (try encode(frame.picture, 95, .asCaptured), try encode(frame.picture, 5, .asCaptured))
    #expect(good.layout.pixelFormat == .jpeg && good.layout.size == Self.size)
    for picture in [good, poor] {
      #expect(picture.buffer.withUnsafeBytes { Array($0.prefix(2)) + Array($0.suffix(2)) } == [0xff, 0xd8, 0xff, 0xd9])
    }
  }

  @Test func camerasOwnJPEGIsKeptInOtherMemory() throws {
    let pool = FramePool(budget: 16 << 20)
    let encode = PhotoEncoding.make(pool)
    let camera = FramePool(budget: 8192)
    let kept: Picture
    do {
      let frame = Frame.fake(
        sequence: 1, at: 1, layout: .packed(.mjpeg, Self.size)!, filledWith: 7, pool: camera)!
      kept = try encode(frame.picture, 50, .asCaptured)
      #expect(kept.buffer !== frame.buffer)
    }
    #expect(kept.buffer.withUnsafeBytes { $0.allSatisfy { $0 == 7 } && $0.count == 16 })
    #expect(kept.layout.pixelFormat == .jpeg && kept.layout.size == Self.size)
    // The camera's memory is free again.
    let isFree = camera.take(8192) != nil
    #expect(isFree)
  }

  @Test func usedUpMemoryIsToldAsSuch() throws {
    let encode = PhotoEncoding.make(FramePool(budget: 0))
    for format in [PixelFormat.mjpeg, .nv12] {
      let frame = Frame.fake(sequence: 1, at: 1, layout: .packed(format, Self.size)!)!
      #expect(
        #expect(throws: CaptureError.self) { try encode(frame.picture, 90, .asCaptured) }?.reason == .outOfBuffers)
    }
  }
}
