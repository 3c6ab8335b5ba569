import CaptureCore
import CaptureTestKit
import Imaging

extension PixelFormat {
  static let uncompressed: [PixelFormat] = [
    .yuyv, .uyvy, .nv12, .nv21, .yuv420, .yvu420, .yuv422p, .grey, .rgb24, .bgr24, .abgr32, .xbgr32, .bgr32,
  ]
  var isRGB: Bool { [.rgb24, .bgr24, .abgr32, .xbgr32, .bgr32].contains(self) }
  var isCompressed: Bool { self == .jpeg || self == .mjpeg }
}

/// Eight bars of 32 pixels each, so that no JPEG block holds two bars. The last bar takes the rest of the width.
enum Bars {
  static let colors = [
    RGB(255, 255, 255), RGB(191, 191, 0), RGB(0, 191, 191), RGB(0, 191, 0), RGB(191, 0, 191), RGB(255, 0, 0),
    RGB(0, 0, 255), RGB(0, 0, 0),
  ]
  static func color(_ x: Int, _ y: Int) -> RGB { colors[min(x / 32, 7)] }
  /// Whether both neighbours have the same colour, so that shared or filtered chroma cannot mix two bars.
  static func isInside(_ x: Int) -> Bool { (2..<30).contains(x % 32) || x >= 226 }
}

/// Draws a picture pixel by pixel. Lines and planes are `padding` bytes apart. The padding is filled with noise, which
/// must never show in a result.
func draw(
  _ format: PixelFormat, _ size: Size, padding: Int = 0, range: FrameLayout.Range = .limited,
  matrix: FrameLayout.Matrix = .bt601, pool: FramePool, _ color: (Int, Int) -> RGB = Bars.color
) -> Picture {
  var layout = FrameLayout.packed(format, size, range: range, matrix: matrix)!
  var offset = 0
  for index in layout.planes.indices {
    layout.planes[index].offset = offset
    layout.planes[index].stride += padding
    offset += layout.planes[index].stride * layout.planes[index].rows + padding
  }
  let memory = pool.take(offset)!
  let bytes = memory.bytes
  var noise = SeededGenerator(seed: 1)
  for index in 0..<offset { bytes[index] = UInt8.random(in: 0...255, using: &noise) }

  func put(_ plane: Int, _ byte: Int, _ row: Int, _ value: Double) {
    let place = layout.planes[plane]
    bytes[place.offset + place.stride * row + byte] = UInt8(max(0, min(255, value.rounded())))
  }
  for y in 0..<size.height {
    for x in 0..<size.width {
      let rgb = color(x, y)
      let ycc = YCC(rgb, range: range, matrix: matrix)
      let (ownsPair, ownsQuad) = (x % 2 == 0, x % 2 == 0 && y % 2 == 0)
      switch format {
      case .yuyv, .uyvy:
        let (luma, chroma) = format == .yuyv ? (0, 1) : (1, 0)
        put(0, x * 2 + luma, y, ycc.y)
        if ownsPair {
          put(0, x * 2 + chroma, y, ycc.u)
          put(0, x * 2 + chroma + 2, y, ycc.v)
        }
      case .nv12, .nv21:
        put(0, x, y, ycc.y)
        if ownsQuad {
          put(1, x, y / 2, format == .nv12 ? ycc.u : ycc.v)
          put(1, x + 1, y / 2, format == .nv12 ? ycc.v : ycc.u)
        }
      case .yuv420, .yvu420:
        put(0, x, y, ycc.y)
        if ownsQuad {
          put(format == .yuv420 ? 1 : 2, x / 2, y / 2, ycc.u)
          put(format == .yuv420 ? 2 : 1, x / 2, y / 2, ycc.v)
        }
      case .yuv422p:
        put(0, x, y, ycc.y)
        if ownsPair {
          put(1, x / 2, y, ycc.u)
          put(2, x / 2, y, ycc.v)
        }
      case .grey: put(0, x, y, ycc.y)
      default:
        let step = [.abgr32, .xbgr32, .bgr32].contains(format) ? 4 : 3
        put(0, x * step, y, format == .rgb24 ? rgb.r : rgb.b)
        put(0, x * step + 1, y, rgb.g)
        put(0, x * step + 2, y, format == .rgb24 ? rgb.b : rgb.r)
      }
    }
  }
  return Picture(layout: layout, buffer: memory.freeze(count: offset))
}

extension Picture {
  /// Calls `body` with a function that reads the colour of a pixel. The pixels of a grey picture have neutral chroma.
  func withPixels<R>(_ body: ((Int, Int) -> RGB) -> R) -> R {
    buffer.withUnsafeBytes { bytes in
      func at(_ plane: Int, _ byte: Int, _ row: Int) -> Double {
        Double(bytes[layout.planes[plane].offset + layout.planes[plane].stride * row + byte])
      }
      func ycc(_ y: Double, _ u: Double, _ v: Double) -> RGB {
        RGB(YCC(y: y, u: u, v: v, range: layout.range, matrix: layout.matrix))
      }
      return body { x, y in
        switch layout.pixelFormat {
        case .yuyv: ycc(at(0, x * 2, y), at(0, x / 2 * 4 + 1, y), at(0, x / 2 * 4 + 3, y))
        case .uyvy: ycc(at(0, x * 2 + 1, y), at(0, x / 2 * 4, y), at(0, x / 2 * 4 + 2, y))
        case .nv12: ycc(at(0, x, y), at(1, x / 2 * 2, y / 2), at(1, x / 2 * 2 + 1, y / 2))
        case .nv21: ycc(at(0, x, y), at(1, x / 2 * 2 + 1, y / 2), at(1, x / 2 * 2, y / 2))
        case .yuv420: ycc(at(0, x, y), at(1, x / 2, y / 2), at(2, x / 2, y / 2))
        case .yvu420: ycc(at(0, x, y), at(2, x / 2, y / 2), at(1, x / 2, y / 2))
        case .yuv422p: ycc(at(0, x, y), at(1, x / 2, y), at(2, x / 2, y))
        case .grey: ycc(at(0, x, y), 128, 128)
        case .rgb24: RGB(at(0, x * 3, y), at(0, x * 3 + 1, y), at(0, x * 3 + 2, y))
        case .bgr24: RGB(at(0, x * 3 + 2, y), at(0, x * 3 + 1, y), at(0, x * 3, y))
        default: RGB(at(0, x * 4 + 2, y), at(0, x * 4 + 1, y), at(0, x * 4, y))
        }
      }
    }
  }

  /// The largest difference in Y, Cb or Cr (as JFIF defines them) between the picture and the colour bars, away from
  /// the edges of the bars.
  func errorAgainstBars(lumaOnly: Bool = false) -> Double {
    withPixels { pixel in
      var worst = 0.0
      for y in 0..<layout.size.height {
        for x in 0..<layout.size.width where Bars.isInside(x) {
          let (found, expected) = (YCC(pixel(x, y)), YCC(Bars.color(x, y)))
          worst = max(worst, lumaOnly ? abs(found.y - expected.y) : found.distance(to: expected))
        }
      }
      return worst
    }
  }

  /// The mean of the colours of all pixels.
  var mean: RGB {
    withPixels { pixel in
      var sum = RGB(0, 0, 0)
      for y in 0..<layout.size.height {
        for x in 0..<layout.size.width {
          let color = pixel(x, y)
          (sum.r, sum.g, sum.b) = (sum.r + color.r, sum.g + color.g, sum.b + color.b)
        }
      }
      let count = Double(layout.size.pixelCount)
      return RGB(sum.r / count, sum.g / count, sum.b / count)
    }
  }

  var bytes: [UInt8] { buffer.withUnsafeBytes { Array($0) } }
}

/// Makes a picture of compressed bytes, as a camera delivers it.
func compressedPicture(_ bytes: [UInt8], _ size: Size, format: PixelFormat = .mjpeg, pool: FramePool) -> Picture {
  let memory = pool.take(max(bytes.count, 1))!
  memory.bytes.copyBytes(from: bytes)
  return Picture(layout: FrameLayout.packed(format, size, range: .full)!, buffer: memory.freeze(count: bytes.count))
}

/// Soft waves that no filter changes much. Opposite edges are alike, so that a shift by a part of a pixel does not
/// change the mean much either.
func waves(_ size: Size) -> (Int, Int) -> RGB {
  { x, y in
    let (across, down) = (abs(2 * Double(x) / Double(size.width) - 1), abs(2 * Double(y) / Double(size.height) - 1))
    return RGB(40 + 180 * across, 60 + 60 * (across + down), 50 + 150 * down)
  }
}

/// Noise that is the same for the same pixel.
func noise(_ x: Int, _ y: Int) -> RGB {
  var generator = SeededGenerator(seed: UInt64(y) << 32 | UInt64(x))
  func value() -> Double { Double.random(in: 0...255, using: &generator) }
  return RGB(value(), value(), value())
}

/// The reason of the error that `body` throws; nil when `body` throws no `CaptureError`.
func reason<R>(_ body: () throws -> R) -> CaptureError.Reason? {
  do { _ = try body() } catch { return (error as? CaptureError)?.reason }
  return nil
}
