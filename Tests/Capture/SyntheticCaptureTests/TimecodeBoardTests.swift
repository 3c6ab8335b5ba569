import CaptureCore
import CaptureTestKit
import Imaging
import SystemClocks
import Testing

@testable import SyntheticCapture

/// Tests the board at the top of every synthetic picture, from which tests read the camera, the frame and the frame's
/// instant.
@Suite(.computing) struct TimecodeBoardTests {
  private static let sizes = [
    Size(width: 320, height: 180), Size(width: 480, height: 270), Size(width: 640, height: 360),
    Size(width: 960, height: 540),
  ]

  /// Every pixel of the four rows is white or black as its bit says and has neutral chroma, also at sizes that 64 and
  /// 24 do not divide.
  @Test(arguments: [PixelFormat.nv12, .yuyv], [Size(width: 320, height: 180), Size(width: 334, height: 202)])
  func everyPixelOfTheBoardHasItsValue(format: PixelFormat, size: Size) {
    let picture = Rendered(
      .init(scene: .lightboard, noise: 10), format, size, camera: 5, sequence: 0x8000_0000_dead_beef)
    let instant = Rendered.instant.nanoseconds
    let words = [
      0x8000_0000_dead_beef, instant, ~(0x8000_0000_dead_beef ^ instant), 0x0000_0005_ffff_fffa,
    ]
    var wrong = 0
    for (row, word) in words.enumerated() {
      let lines = (row * size.height + 12) / 24...((row + 1) * size.height + 12) / 24 - 1
      for cell in 0..<64 {
        let expected: UInt8 = word & 1 << UInt64(63 - cell) != 0 ? 235 : 16
        for y in lines {
          for x in cell * size.width / 64...(cell + 1) * size.width / 64 - 1 {
            if picture.color(x, y) != YCbCr(grey: expected) { wrong += 1 }
          }
        }
      }
    }
    #expect(wrong == 0)
  }

  /// The scene begins in the line right below the board.
  @Test func theBoardEndsWhereTheSceneBegins() {
    let picture = Rendered(.init(scene: .bars, noise: 0), .nv12, Size(width: 640, height: 360))
    // The board has four rows of 360 / 24 = 15 lines, so the scene begins at line 60. The left bar is white of 75 %, a
    // luma of 180.
    #expect(picture.luma(0, 59) != 180)
    #expect(picture.luma(0, 60) == 180)
  }

  /// The test kit reads the sequence number, the instant and the camera from pictures of every small size, binned and
  /// not, with the strongest noise.
  @Test(arguments: [PixelFormat.nv12, .yuyv], sizes)
  func theBoardIsReadBackAtEverySize(format: PixelFormat, size: Size) {
    let isBinned = SyntheticFormats.find(format, size)?.isBinned == true
    let picture = Rendered(.init(noise: 10), format, size, isBinned: isBinned, camera: 3, sequence: 987_654_321)
    #expect(Timecode(picture.frame) == Timecode(sequence: 987_654_321, time: Rendered.instant, camera: 3))
  }

  /// The board can still be read after a picture was scaled down to 320 × 180, the size of the smallest preview.
  @Test(arguments: [Size(width: 1920, height: 1080), Size(width: 960, height: 540)])
  func theBoardIsReadAfterScalingDownTo320(size: Size) {
    let picture = Rendered(.init(scene: .still), .nv12, size, camera: 0x8000_0001, sequence: .max - 1)
    let (width, height) = (320, 180)
    var small = [UInt8](repeating: 0, count: width * height)
    for y in 0..<height {
      for x in 0..<width {
        let columns = x * size.width / width..<(x + 1) * size.width / width
        let lines = y * size.height / height..<(y + 1) * size.height / height
        let sum = lines.reduce(0) { sum, line in columns.reduce(sum) { $0 + Int(picture.luma($1, line)) } }
        small[y * width + x] = UInt8(sum / (columns.count * lines.count))
      }
    }
    let read = small.withUnsafeBytes { Timecode(luma: $0, stride: width, size: Size(width: width, height: height)) }
    #expect(read == Timecode(sequence: .max - 1, time: Rendered.instant, camera: 0x8000_0001))
  }

  /// The board can still be read after JPEG compression at quality 50, at the picture's own size and scaled down to the
  /// smallest preview.
  @Test(arguments: [PixelFormat.nv12, .yuyv], [sizes[0], sizes[3]])
  func theBoardIsReadAfterJPEGAtQuality50(format: PixelFormat, size: Size) throws {
    let pool = FramePool(budget: 256 << 20)
    let picture = Rendered(.init(scene: .still), format, size, camera: 1, sequence: 123_456)
    let expected = Timecode(sequence: 123_456, time: Rendered.instant, camera: 1)
    // The picture is encoded at its own size and at the size of the smallest preview.
    for target in [size, Size(width: 320, height: 180)] {
      let jpeg = try JPEGEncoder(pool: pool).encode(picture.frame.picture, quality: 50, size: target)
      let decoded = try JPEGDecoder(pool: pool).decode(jpeg)
      let read = decoded.buffer.withUnsafeBytes {
        Timecode(luma: $0, stride: decoded.layout.planes[0].stride, size: decoded.layout.size)
      }
      #expect(read == expected, "\(target)")
    }
  }

  /// A plain picture gives no timecode instead of a wrong one.
  @Test func aPictureWithoutABoardIsNotRead() throws {
    let frame = try #require(Frame.fake(sequence: 1, at: 1, layout: .packed(.nv12, Size(width: 640, height: 360))!))
    #expect(Timecode(frame) == nil)
  }

  /// When one cell of any row is inverted, a check fails and the board gives no timecode.
  @Test(arguments: 0..<4) func aFlippedBitInAnyRowIsDetected(row: Int) {
    var picture = Rendered(.init(), .nv12, Size(width: 640, height: 360)).bytes
    for line in 15 * row..<15 * (row + 1) { for column in 0..<10 { picture[line * 640 + column] ^= 235 ^ 16 } }
    let read = picture.withUnsafeBytes { Timecode(luma: $0, stride: 640, size: Size(width: 640, height: 360)) }
    #expect(read == nil)
  }
}
