import CaptureCore
import CaptureTestKit
import Foundation
import Imaging

/// A scene without pixels, which has light at any place, so that frames can be shifted by parts of a pixel.
struct LightField {
  var color: @Sendable (_ x: Double, _ y: Double) -> (y: Double, u: Double, v: Double)

  /// Waves that become shorter, so that they fit in one place only, with a soft disc and a ramp. There is something to
  /// align everywhere, and no detail that is too fine for pixels.
  static let waves = LightField { x, y in
    let fine = 26 * sin(x * (0.3 + x * 0.002) + y * 0.35) + 22 * sin(y * (0.2 + y * 0.003) - x * 0.31)
    let disc = 45 / (1 + exp((hypot(x - 90, y - 70) - 40) * 1.2))
    return (110 + fine + disc + 0.1 * x, 128 + 25 * sin(x * 0.11), 128 + 25 * cos(y * 0.13))
  }

  static func flat(_ value: Double) -> LightField { LightField { _, _ in (value, 128, 128) } }

  /// A scene for each number, unlike the others, with structures as large as tiles.
  static func unlike(_ number: Int) -> LightField {
    LightField { x, y in
      let (a, b) = (0.13 + 0.057 * Double(number % 5), 0.11 + 0.049 * Double(number % 7))
      return (125 + 90 * sin(x * a + Double(number)) * cos(y * b + 2 * Double(number)), 128, 128)
    }
  }

  func shifted(_ dx: Double, _ dy: Double) -> LightField { LightField { color($0 + dx, $1 + dy) } }

  /// The scene with a bright textured square in front, whose side is `side` pixels.
  func withSquare(x: Int, y: Int, side: Int) -> LightField {
    LightField { px, py in
      let (sx, sy) = (px - Double(x), py - Double(y))
      guard sx >= 0, sy >= 0, sx < Double(side), sy < Double(side) else { return color(px, py) }
      return (200 + 25 * sin(sx * 0.5) * cos(sy * 0.4), 150, 100)
    }
  }
}

/// The planes of a picture in double precision, and the frames that a camera makes of them.
struct Exposure {
  let size: Size
  let y, u, v: [Double]

  init(_ field: LightField, _ size: Size) {
    self.size = size
    let columns = (size.width + 1) / 2
    y = (0..<size.pixelCount).map { field.color(Double($0 % size.width), Double($0 / size.width)).y }
    let chroma = (0..<columns * ((size.height + 1) / 2)).map {
      field.color(Double(2 * ($0 % columns)) + 0.5, Double(2 * ($0 / columns)) + 0.5)
    }
    (u, v) = (chroma.map(\.u), chroma.map(\.v))
  }

  /// A frame in planar 4:2:0 with the noise of the synthetic camera. The variance of luma is level² (0.2 + 0.8 (Y − 16)
  /// / 110), and chroma has half the deviation `level`.
  func frame(level: Double, _ random: inout SeededGenerator, pool: FramePool) -> Picture {
    let layout = FrameLayout.packed(.yuv420, size)!
    let memory = pool.take(layout.byteCount)!
    let bytes = memory.bytes
    for (index, value) in (y + u + v).enumerated() {
      let variance = index < y.count ? 0.2 + 0.8 * max(0, value - 16) / 110 : 0.25
      let noise = level * variance.squareRoot() * random.nextGaussian()
      bytes[index] = UInt8(max(0, min(255, (value + noise).rounded())))
    }
    return Picture(layout: layout, buffer: memory.freeze(count: layout.byteCount))
  }

  /// The peak signal-to-noise ratio of a picture's luma, in decibels. Without `area`, the whole picture counts.
  func quality(of picture: Picture, within area: (x: Range<Int>, y: Range<Int>)? = nil) -> Double {
    let area = area ?? (0..<size.width, 0..<size.height)
    let stride = picture.layout.planes[0].stride
    var sum = 0.0
    picture.buffer.withUnsafeBytes { bytes in
      for row in area.y {
        for column in area.x {
          let difference = Double(bytes[row * stride + column]) - y[row * size.width + column]
          sum += difference * difference
        }
      }
    }
    return 10 * log10(255 * 255 * Double(area.x.count * area.y.count) / max(sum, 1e-9))
  }
}

extension SeededGenerator {
  /// A random number of the normal distribution with the mean 0 and the deviation 1, by the method of Box and Muller.
  mutating func nextGaussian() -> Double {
    let (a, b) = (Double.random(in: 1e-12..<1, using: &self), Double.random(in: 0..<1, using: &self))
    return (-2 * log(a)).squareRoot() * cos(2 * .pi * b)
  }
}

/// Eight frames taken with a shaking hand. The fifth frame is the reference and is not shifted.
struct Burst {
  static let reference = 4

  let frames: [Picture]
  let truth: Exposure

  /// - Parameter square: the place and the side of a square in front of the scene, for each frame; nil for no square.
  init(
    _ field: LightField = .waves, size: Size = Size(width: 192, height: 144), level: Double, seed: UInt64 = 1,
    square: ((Int) -> (x: Int, y: Int, side: Int))? = nil, pool: FramePool
  ) {
    var random = SeededGenerator(seed: seed)
    let exposures = (0..<8).map { index in
      let shake = (Double.random(in: -3...3, using: &random), Double.random(in: -3...3, using: &random))
      let seen = index == Self.reference ? field : field.shifted(shake.0, shake.1)
      let place = square?(index)
      return Exposure(place.map { seen.withSquare(x: $0.x, y: $0.y, side: $0.side) } ?? seen, size)
    }
    frames = exposures.map { $0.frame(level: level, &random, pool: pool) }
    truth = exposures[Self.reference]
  }

  var single: Picture { frames[Self.reference] }

  /// How much better `picture` shows the scene than the reference alone does, in decibels.
  func gain(of picture: Picture, within area: (x: Range<Int>, y: Range<Int>)? = nil) -> Double {
    truth.quality(of: picture, within: area) - truth.quality(of: single, within: area)
  }
}

extension Picture {
  /// A copy of all bytes. Each access copies them, so loops must not use this property.
  var bytes: [UInt8] { buffer.withUnsafeBytes { Array($0) } }
}

/// The reason of the error that `body` throws; nil when `body` throws no `CaptureError`.
func reason<R>(_ body: () throws -> R) -> CaptureError.Reason? {
  do { _ = try body() } catch { return (error as? CaptureError)?.reason }
  return nil
}
