import CaptureCore
import Imaging
import SystemClocks
import Testing

@testable import OverlayDrawing

/// Overlays that are drawn over a camera's pictures.
@Suite struct OverlayPainterTests {
  static let size = Size(width: 160, height: 90)
  let pool = FramePool(budget: 64 << 20)

  /// A grey picture with the luma 126, in any range.
  private func grey(
    _ format: PixelFormat = .nv12, _ size: Size = size, range: FrameLayout.Range = .limited,
    matrix: FrameLayout.Matrix = .bt601
  ) -> Picture {
    let layout = FrameLayout.packed(format, size, range: range, matrix: matrix)!
    let memory = pool.take(layout.byteCount)!
    for index in 0..<layout.byteCount { memory.bytes[index] = index < size.pixelCount ? 126 : 128 }
    return Picture(layout: layout, buffer: memory.freeze(count: layout.byteCount))
  }

  /// Y, Cb and Cr at a place.
  private func sample(_ picture: Picture, _ x: Int, _ y: Int) -> [Int] {
    picture.buffer.withUnsafeBytes { bytes in
      picture.layout.planes.enumerated().map { index, plane in
        let shift = index == 0 ? 0 : 1
        return Int(bytes[plane.offset + (y >> shift) * plane.stride + (x >> shift)])
      }
    }
  }

  private func isClose(_ a: [Int], _ b: [Double]) -> Bool { zip(a, b).allSatisfy { abs(Double($0) - $1) <= 2 } }

  /// An overlay with one image of a single colour.
  private func filled(_ rgba: [UInt8], x: Double, y: Double, width: Double) throws -> Overlay {
    let pixels = [[UInt8]](repeating: rgba, count: 16).flatMap(\.self)
    let picture = try OverlayPicture(rgba: pixels, Size(width: 4, height: 4))
    return Overlay([.image(.init(picture, x: x, y: y, width: width))])
  }

  private func paint(
    _ overlay: Overlay, _ picture: Picture, _ orientation: Orientation = .asCaptured, time: WallInstant = .epoch
  ) throws -> Picture {
    try OverlayPainter(pool: pool).paint(overlay, over: picture, orientation: orientation, time: time)
  }

  /// Pure red has the values that follow from the standards, in each range and matrix.
  @Test(arguments: [FrameLayout.Range.limited, .full], [FrameLayout.Matrix.bt601, .bt709])
  func coloursFollowTheStandards(_ range: FrameLayout.Range, _ matrix: FrameLayout.Matrix) throws {
    let result = try paint(
      try filled([255, 0, 0, 255], x: 0.25, y: 0.25, width: 0.25), grey(range: range, matrix: matrix))
    #expect(result.layout.range == range && result.layout.matrix == matrix)
    let (kr, kb) = matrix == .bt601 ? (0.299, 0.114) : (0.2126, 0.0722)
    let (luma, chroma, black) = range == .full ? (255.0, 255.0, 0.0) : (219, 224, 16)
    let red = [black + kr * luma, 128 - kr / (2 * (1 - kb)) * chroma, min(255, 128 + chroma / 2)]
    #expect(isClose(sample(result, 60, 40), red))
    #expect(sample(result, 20, 40) == [126, 128, 128], "beside the image nothing changes")
  }

  @Test func opacityMixesTheImageWithThePicture() throws {
    let result = try paint(try filled([255, 255, 255, 128], x: 0, y: 0, width: 0.5), grey())
    #expect(isClose(sample(result, 30, 30), [126 + (235 - 126) * 128 / 255.0, 128, 128]))
  }

  /// Other readers use the camera's memory too, so the painter draws in memory of its own.
  @Test func theCamerasPictureIsNotTouched() throws {
    let camera = grey(.yuv420)
    let result = try paint(try filled([255, 255, 255, 255], x: 0, y: 0, width: 1), camera)
    #expect(result.buffer !== camera.buffer)
    #expect(sample(camera, 30, 30) == [126, 128, 128])
  }

  /// A mark is drawn in the upper left corner of what people see. It is there after every way of turning the picture.
  @Test(arguments: Orientation.Rotation.allCases, [false, true])
  func overlaysAreUprightAfterTurning(_ rotation: Orientation.Rotation, _ isMirrored: Bool) throws {
    let orientation = Orientation(rotation: rotation, isMirrored: isMirrored)
    let white = try filled([255, 255, 255, 255], x: 0.02, y: 0.02, width: 0.1)
    let painted = try paint(white, grey(), orientation)
    let turned = try PictureConverter(pool: pool).convert(painted, to: .yuv420, orientation: orientation)
    let size = orientation.turned(Self.size)
    #expect(turned.layout.size == size)
    let inside = (Int(0.05 * Double(size.width)), Int(0.02 * Double(size.height)) + size.width / 25)
    #expect(sample(turned, inside.0, inside.1)[0] > 230)
    #expect(sample(turned, size.width - 6, 6)[0] == 126 && sample(turned, 6, size.height - 6)[0] == 126)
  }

  /// The text `{time}` shows the time of the frame in whole seconds.
  @Test func aTextShowsTheTimeOfTheFrame() throws {
    let painter = OverlayPainter(pool: pool)
    let overlay = Overlay([.text(.init("{time}", x: 0.02, y: 0.05, height: 0.1))])
    func ink(_ wall: UInt64) throws -> [UInt8] {
      let result = try painter.paint(
        overlay, over: grey(), orientation: .asCaptured, time: WallInstant(nanoseconds: wall))
      return result.buffer.withUnsafeBytes { Array($0.prefix(Self.size.pixelCount)) }
    }
    let second: UInt64 = 1_000_000_000
    let first = try ink(1_750_000_000 * second)
    #expect(first.contains { $0 > 200 })
    #expect(try ink(1_750_000_000 * second + 999_999_999) == first)
    #expect(try ink(1_750_000_001 * second) != first)
  }

  @Test func aBoxIsAnOutline() throws {
    let box = Overlay.Box(x: 0.25, y: 0.2, width: 0.5, height: 0.6, color: .white, lineWidth: 0.05)
    let result = try paint(Overlay([.box(box)]), grey())
    #expect(sample(result, 40, 45)[0] > 200 && sample(result, 120, 45)[0] > 200)
    #expect(sample(result, 80, 45)[0] == 126 && sample(result, 10, 45)[0] == 126)
  }

  @Test(arguments: [Size(width: 161, height: 91), Size(width: 1, height: 1), Size(width: 7, height: 3)])
  func picturesOfOddSizesAreDrawnOn(_ size: Size) throws {
    let result = try paint(try filled([255, 255, 255, 255], x: -1, y: -1, width: 8), grey(.nv12, size))
    #expect(result.layout.size == size)
    #expect(sample(result, size.width - 1, size.height - 1)[0] == 235)
  }

  /// An element far outside of the picture draws nothing and is no error.
  @Test func elementsOutsideOfThePictureAreCutOff() throws {
    let overlay = Overlay([
      .box(.init(x: -10, y: -10, width: 2, height: 2)), .text(.init("far away", x: 15, y: 15)),
      .text(.init("", x: 0, y: 0)),
    ])
    let result = try paint(overlay, grey())
    #expect(sample(result, 80, 45) == [126, 128, 128])
  }

  /// Images come from clients, so damaged bytes and absurd sizes must be errors.
  @Test func impossibleImagesAreRefused() {
    for bytes in [[], [1, 2, 3], Array("\u{89}PNG".utf8)] as [[UInt8]] {
      #expect(throws: CaptureError.self) { try OverlayPicture(png: bytes) }
    }
    // The header claims 2^31 pixels on each side.
    let huge: [UInt8] =
      [0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, 0x80, 0, 0, 0, 0x80, 0, 0, 0]
    #expect(throws: CaptureError.self) { try OverlayPicture(png: huge) }
    for size in [Size(width: 0, height: 4), Size(width: 5000, height: 1), Size(width: 2, height: 2)] {
      #expect(throws: CaptureError.self) { try OverlayPicture(rgba: [1, 2, 3], size) }
    }
  }
}
