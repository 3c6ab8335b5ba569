import CaptureCore
import CaptureTestKit
import Imaging
import Testing

/// Pictures that are turned and mirrored, in every format and together with conversions.
@Suite(.computing) struct OrientationTests {
  static let orientations = Orientation.Rotation.allCases.flatMap { rotation in
    [false, true].map { Orientation(rotation: rotation, isMirrored: $0) }
  }

  let pool = FramePool(budget: 64 << 20)

  /// Four fields, each of a colour of its own.
  private static func fields(_ size: Size) -> (Int, Int) -> RGB {
    let colors = [RGB(200, 40, 40), RGB(40, 180, 60), RGB(50, 60, 210), RGB(220, 200, 60)]
    return { x, y in colors[(x < size.width / 2 ? 0 : 1) + (y < size.height / 2 ? 0 : 2)] }
  }

  /// The place in a picture of `size` from which a pixel of the turned picture comes.
  static func origin(_ x: Int, _ y: Int, _ orientation: Orientation, of size: Size) -> (Int, Int) {
    let x = orientation.isMirrored ? orientation.turned(size).width - 1 - x : x
    return switch orientation.rotation {
    case .none: (x, y)
    case .quarter: (y, size.height - 1 - x)
    case .half: (size.width - 1 - x, size.height - 1 - y)
    case .threeQuarters: (size.width - 1 - y, x)
    }
  }

  /// The largest difference between a turned picture and `fields` of `size`, away from the borders between two fields.
  private func error(_ picture: Picture, _ orientation: Orientation, of size: Size, lumaOnly: Bool) -> Double {
    let color = Self.fields(size)
    return picture.withPixels { pixel in
      var worst = 0.0
      for y in 0..<picture.layout.size.height {
        for x in 0..<picture.layout.size.width {
          let (fromX, fromY) = Self.origin(x, y, orientation, of: size)
          if abs(fromX - size.width / 2) < 4 || abs(fromY - size.height / 2) < 4 { continue }
          let (found, expected) = (YCC(pixel(x, y)), YCC(color(fromX, fromY)))
          worst = max(worst, lumaOnly ? abs(found.y - expected.y) : found.distance(to: expected))
        }
      }
      return worst
    }
  }

  /// Turning and converting happen together, so each pair of formats and each orientation is tested.
  @Test(arguments: PixelFormat.uncompressed, orientations)
  func everyFormatIsTurned(_ from: PixelFormat, _ orientation: Orientation) throws {
    let converter = PictureConverter(pool: pool)
    for size in [Size(width: 48, height: 32), Size(width: 45, height: 27)] {
      let picture = draw(from, size, padding: 6, pool: pool, Self.fields(size))
      for to in [from, .nv12, .yuyv, .grey, .bgr32, .rgb24] {
        let result = try converter.convert(picture, to: to, orientation: orientation)
        #expect(result.layout.size == orientation.turned(size) && result.layout.pixelFormat == to)
        let lumaOnly = from == .grey || to == .grey
        #expect(error(result, orientation, of: size, lumaOnly: lumaOnly) <= 2, "\(size) to \(to)")
      }
    }
  }

  @Test(arguments: [PixelFormat.nv12, .yuyv, .rgb24, .jpeg], orientations)
  func picturesAreScaledAndTurnedAtOnce(_ from: PixelFormat, _ orientation: Orientation) throws {
    let (size, half) = (Size(width: 96, height: 64), Size(width: 48, height: 32))
    var picture = draw(from == .jpeg ? .nv12 : from, size, pool: pool, Self.fields(size))
    if from == .jpeg { picture = try JPEGEncoder(pool: pool).encode(picture, quality: 98) }
    for to in [PixelFormat.nv12, .yuyv, .bgr24] {
      let result = try PictureConverter(pool: pool).convert(
        picture, to: to, size: orientation.turned(half), orientation: orientation)
      // JPEG at quality 98 quantises the picture once more.
      #expect(error(result, orientation, of: half, lumaOnly: false) <= (from == .jpeg ? 3 : 2), "to \(to)")
    }
  }

  @Test(arguments: [PixelFormat.nv12, .yuyv, .bgr24, .grey, .jpeg], orientations)
  func picturesAreTurnedBeforeTheyAreCompressed(_ from: PixelFormat, _ orientation: Orientation) throws {
    let size = Size(width: 64, height: 48)
    let encoder = JPEGEncoder(pool: pool)
    var picture = draw(from == .jpeg ? .yuyv : from, size, pool: pool, Self.fields(size))
    if from == .jpeg { picture = try encoder.encode(picture, quality: 98) }
    let turned = try encoder.encode(picture, quality: 98, orientation: orientation)
    #expect(turned.layout.size == orientation.turned(size))
    let decoded = try JPEGDecoder(pool: pool).decode(turned)
    #expect(error(decoded, orientation, of: size, lumaOnly: from == .grey) <= (from == .jpeg ? 4 : 3))
  }

  /// RGB has a colour for each pixel, and keeps it when columns become lines.
  @Test func rgbPicturesAreTurnedExactly() throws {
    let size = Size(width: 33, height: 8)
    let stripes = { (x: Int, _: Int) in x % 2 == 0 ? RGB(255, 3, 0) : RGB(1, 0, 254) }
    let orientation = Orientation(rotation: .quarter, isMirrored: true)
    let picture = draw(.rgb24, size, padding: 2, pool: pool, stripes)
    for to in [PixelFormat.rgb24, .bgr32] {
      let result = try PictureConverter(pool: pool).convert(picture, to: to, orientation: orientation)
      result.withPixels { pixel in
        for y in 0..<33 { for x in 0..<8 { #expect(pixel(x, y) == stripes(y, 0)) } }
      }
    }
  }
}
