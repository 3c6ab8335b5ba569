import CaptureCore
import CaptureTestKit
import Imaging
import MovieTestKit
import SystemClocks
import Testing

@testable import FrameComposition

/// Timecode boards in composed pictures, which are how acceptance tests see which frames a picture is made of.
@Suite(.computing) struct ComposedBoardTests {
  /// A board in a layer at a place of the composed picture.
  private func board(_ picture: Picture, _ place: CompositionLayer.Rectangle) -> Timecode? {
    picture.buffer.withUnsafeBytes { bytes in
      let plane = picture.layout.planes[0]
      let start = plane.offset + place.y * plane.stride + place.x
      return Timecode(luma: UnsafeRawBufferPointer(rebasing: bytes[start...]), stride: plane.stride, size: place.size)
    }
  }

  /// Both boards can be read when a camera fills the picture and another has a quarter of its width and height, at even
  /// and at odd places, with round corners that are smaller than a cell of the board.
  @Test(
    arguments: [PixelFormat.nv12, .yuyv, .mjpeg, .grey],
    [Size(width: 1920, height: 1080), Size(width: 1280, height: 720), Size(width: 640, height: 360)])
  func boardsStayReadable(_ format: PixelFormat, _ size: Size) throws {
    let quarter = Size(width: size.width / 4, height: size.height / 4)
    let drawn = BoardPictures(pool: pool, size: size, format: format == .mjpeg ? .nv12 : format, matrix: .bt601)
    func picture(_ number: Int) throws -> Picture {
      let picture = try drawn.picture(number, at: 1_750_000_000_000_000_000 + UInt64(number))
      return format == .mjpeg ? try JPEGEncoder(pool: pool).encode(picture, quality: 80) : picture
    }
    let pictures: [Picture?] = [try picture(0x1234_5678), try picture(0x0fed_cba9)]
    let first = StreamFormat(devicePixelFormat: format, layout: pictures[0]!.layout, frameRate: Rational(30, 1))
    for (x, y, radius) in [(size.width / 2, size.height / 2, 0), (37, size.height / 2 + 3, 2)] {
      let inset = CompositionLayer.Rectangle(x: x, y: y, size: quarter)
      let layers = [
        CompositionLayer(input: "a", rectangle: .init(x: 0, y: 0, size: size)),
        CompositionLayer(input: "b", rectangle: inset, order: 1, cornerRadius: radius),
      ]
      let layout = CompositionLayout(size: size, frameRate: Rational(30, 1), layers: layers)
      let compositor = FrameCompositor(layout.format(withFirstLayer: first).layout, pool: pool)
      let composed = try compositor.compose(layers, pictures)
      #expect(board(composed, layers[0].rectangle)?.sequence == 0x1234_5678)
      #expect(board(composed, inset.aligned(in: size))?.sequence == 0x0fed_cba9, "\(x), \(y)")
    }
  }
}
