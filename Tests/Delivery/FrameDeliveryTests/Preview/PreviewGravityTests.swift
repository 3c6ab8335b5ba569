import CaptureCore
import CaptureTestKit
import Imaging
import Testing

@testable import FrameDelivery

/// How the picture of a preview fills the size that a reader asks for.
@Suite struct PreviewGravityTests {
  static let hd = Size(width: 1920, height: 1080)

  static func key(
    _ gravity: PreviewGravity, _ width: Int, _ height: Int, rotation: Orientation.Rotation = .none,
    connection: Orientation = .asCaptured
  ) -> EncodingKey? {
    let request = PreviewRequest(maxSize: Size(width: width, height: height), gravity: gravity, rotation: rotation)
    guard case .encode(let key) = request.route(for: .packed(.nv12, hd)!, orientation: connection) else { return nil }
    return key
  }

  /// The whole picture is stretched into the shape that the reader asks for, and never enlarged.
  @Test func resizeGivesTheWholePictureTheShape() throws {
    let key = try #require(Self.key(.resize, 640, 480))
    #expect(key.size == Size(width: 640, height: 480) && key.crop == nil)
    #expect(Self.key(.resize, 4000, 4000)?.size == Size(width: 1080, height: 1080), "the shape, not enlarged")
  }

  /// The largest part in the middle that has the shape is shown. A picture of this shape is not cut.
  @Test func fillCutsTheShapeOutOfTheMiddle() throws {
    let key = try #require(Self.key(.resizeAspectFill, 640, 480))
    #expect(key.size == Size(width: 640, height: 480))
    #expect(key.crop == Crop(middle: Size(width: 1440, height: 1080), of: Self.hd) && key.crop?.x == 240)
    let wide = try #require(Self.key(.resizeAspectFill, 800, 200))
    #expect(wide.crop?.size == Size(width: 1920, height: 480) && wide.crop?.y == 300)
    #expect(Self.key(.resizeAspectFill, 320, 180)?.crop == nil, "the shape is the camera's own")
    #expect(Self.key(.resizeAspectFill, 4000, 4000)?.size == Size(width: 1080, height: 1080))
  }

  /// The size of a request is that of the picture after all turns, those of the connection and those of the request.
  @Test func theShapeAppliesToTheTurnedPicture() throws {
    let key = try #require(Self.key(.resizeAspectFill, 400, 400, rotation: .quarter))
    #expect(key.size == Size(width: 400, height: 400) && key.crop?.size == Size(width: 1080, height: 1080))
    let tall = try #require(Self.key(.resizeAspectFill, 300, 600, rotation: .quarter))
    #expect(tall.size == Size(width: 300, height: 600) && tall.crop?.size == Size(width: 1920, height: 960))
    let twice = try #require(
      Self.key(.resizeAspect, 1000, 1000, rotation: .quarter, connection: Orientation(rotation: .quarter)))
    #expect(twice.orientation == Orientation(rotation: .half) && twice.size == Size(width: 1000, height: 562))
  }

  /// The camera's own JPEG passes through only without a rotation.
  @Test func aRotationOfTheCamerasJPEGIsEncoded() {
    let layout = FrameLayout.packed(.mjpeg, Self.hd)!
    #expect(PreviewRequest(rotation: .half).route(for: layout) != .passThrough)
    #expect(PreviewRequest(gravity: .resizeAspectFill).route(for: layout) == .passThrough, "no size to fill")
  }

  /// The picture has four columns of grey. A square shows the two columns in the middle.
  @Test(arguments: [PixelFormat.nv12, .yuyv, .grey, .bgr24, .jpeg])
  func onlyTheMiddleIsShown(format: PixelFormat) throws {
    let pool = FramePool(budget: 16 << 20)
    let size = Size(width: 256, height: 128)
    let grey = FrameLayout.packed(.grey, size)!
    let memory = pool.take(grey.byteCount)!
    for y in 0..<128 { for x in 0..<256 { memory.bytes[y * 256 + x] = [30, 90, 150, 220][x / 64] } }
    let captured = Picture(layout: grey, buffer: memory.freeze(count: grey.byteCount))
    let picture =
      format == .jpeg
      ? try JPEGEncoder(pool: pool).encode(captured, quality: 95)
      : try PictureConverter(pool: pool).convert(captured, to: format)
    let request = PreviewRequest(
      encoding: .nv12, maxSize: Size(width: 64, height: 64), gravity: .resizeAspectFill, rotation: .half)
    guard case .encode(let key) = request.route(for: picture.layout) else { return #expect(Bool(false), "passed") }
    let shown = try PictureEncoding.encoder(pool)(picture, key)
    #expect(shown.layout.size == Size(width: 64, height: 64))
    // The picture is turned by 180 degrees, so the column right of the middle is on the left.
    let (left, right) = shown.buffer.withUnsafeBytes { (Int($0[64 * 32 + 12]), Int($0[64 * 32 + 52])) }
    // The result is the same whatever the range of the camera's picture.
    #expect(abs(left - 150) <= 3 && abs(right - 90) <= 3, "\(left) \(right)")
  }

  @Test func aCropWithoutScalingIsCopied() throws {
    let pool = FramePool(budget: 1 << 20)
    let layout = FrameLayout.packed(.nv12, Size(width: 8, height: 4))!
    let memory = pool.take(layout.byteCount)!
    for index in 0..<layout.byteCount { memory.bytes[index] = UInt8(index) }
    let picture = Picture(layout: layout, buffer: memory.freeze(count: layout.byteCount))
    let key = EncodingKey(
      format: .nv12, quality: 0, size: Size(width: 4, height: 4),
      crop: Crop(middle: Size(width: 4, height: 4), of: layout.size))
    let part = try PictureEncoding.encoder(pool)(picture, key)
    let bytes = part.buffer.withUnsafeBytes { Array($0) }
    #expect(bytes[0..<8] == [2, 3, 4, 5, 10, 11, 12, 13])
    #expect(bytes[16..<20] == [34, 35, 36, 37])
    #expect(throws: CaptureError.self) {
      try picture.cropped(to: Crop(middle: Size(width: 10, height: 4), of: layout.size))
    }
  }
}
