internal import CaptureCore

/// The scene as the sensor sees it without noise, and beside this picture the noise deviation of each of its bytes.
///
/// A scene draws only what moved since the last frame, so the canvas keeps its content from frame to frame. A canvas
/// belongs to one thread.
final class Canvas {
  let layout: FrameLayout
  let picture: UnsafeMutablePointer<UInt8>
  /// The deviation of the noise for each byte of `picture`, as ``SensorNoise/deviation(of:)`` gives it; nil when there
  /// is no noise.
  let deviation: UnsafeMutablePointer<UInt8>?
  private let noise: SensorNoise?
  private let response: SensorResponse

  var width: Int { layout.size.width }
  var height: Int { layout.size.height }

  /// Makes a black canvas.
  ///
  /// - Parameter layout: packed NV12 or YUYV of even width and height.
  init(layout: FrameLayout, noise: SensorNoise?, response: SensorResponse = .standard) {
    self.layout = layout
    self.noise = noise
    self.response = response
    picture = .allocate(capacity: layout.byteCount)
    deviation = noise == nil ? nil : .allocate(capacity: layout.byteCount)
    fill(Rectangle(x: 0, y: 0, width: width, height: height), YCbCr(grey: 16))
  }

  deinit {
    picture.deallocate()
    deviation?.deallocate()
  }

  /// Paints the part of a rectangle that lies on the canvas. Each edge at an odd pixel moves to the even pixel before
  /// it, because two pixels (in NV12 four) share each chroma sample.
  func fill(_ rectangle: Rectangle, _ color: YCbCr) {
    let columns = clip(rectangle.x & ~1, (rectangle.x + rectangle.width) & ~1, width)
    let rows = clip(rectangle.y & ~1, (rectangle.y + rectangle.height) & ~1, height)
    guard !columns.isEmpty, !rows.isEmpty else { return }
    paint(picture, columns, rows, response.picture(of: color))
    if let deviation, let noise { paint(deviation, columns, rows, response.deviation(of: color, noise)) }
  }

  /// Paints a convex polygon in strips of two lines. Each strip reaches from the left to the right edge of the polygon
  /// at the middle of the strip.
  func fill(polygon: [(x: Double, y: Double)], _ color: YCbCr) {
    let top = Int(polygon.map(\.y).min() ?? 0) & ~1
    let bottom = Int(polygon.map(\.y).max() ?? 0)
    for line in stride(from: top, through: bottom, by: 2) {
      let y = Double(line) + 1
      var (left, right) = (Double.infinity, -Double.infinity)
      for (a, b) in zip(polygon, polygon[1...] + polygon[..<1]) where (a.y <= y) != (b.y <= y) {
        let x = a.x + (b.x - a.x) * (y - a.y) / (b.y - a.y)
        (left, right) = (min(left, x), max(right, x))
      }
      if left < right { fill(Rectangle(x: Int(left), y: line, width: Int(right - left) + 1, height: 2), color) }
    }
  }

  private func clip(_ low: Int, _ high: Int, _ limit: Int) -> Range<Int> {
    let start = min(max(0, low), limit)
    return start..<max(start, min(high, limit))
  }

  private func paint(_ base: UnsafeMutablePointer<UInt8>, _ columns: Range<Int>, _ rows: Range<Int>, _ color: YCbCr) {
    let luma = layout.planes[0]
    if layout.pixelFormat == .nv12 {
      let chroma = layout.planes[1]
      for row in rows {
        (base + luma.offset + row * luma.stride + columns.lowerBound).update(repeating: color.y, count: columns.count)
      }
      for row in rows.lowerBound / 2..<rows.upperBound / 2 {
        let start = base + chroma.offset + row * chroma.stride + columns.lowerBound
        repeatBytes(color.cb, color.cr, color.cb, color.cr, at: start, count: columns.count)
      }
    } else {
      for row in rows {
        let start = base + luma.offset + row * luma.stride + 2 * columns.lowerBound
        repeatBytes(color.y, color.cb, color.y, color.cr, at: start, count: 2 * columns.count)
      }
    }
  }

  /// Writes the four bytes over and over. `count` is even, but need not be a multiple of four.
  private func repeatBytes(
    _ a: UInt8, _ b: UInt8, _ c: UInt8, _ d: UInt8, at start: UnsafeMutablePointer<UInt8>, count: Int
  ) {
    // The loop writes words of four bytes: writing each byte by itself would cost as much as the rest of the frame.
    let word = UInt32(littleEndian: UInt32(a) | UInt32(b) << 8 | UInt32(c) << 16 | UInt32(d) << 24)
    let raw = UnsafeMutableRawPointer(start)
    var offset = 0
    while offset &+ 4 <= count {
      raw.storeBytes(of: word, toByteOffset: offset, as: UInt32.self)
      offset &+= 4
    }
    if offset < count {
      start[offset] = a
      start[offset + 1] = b
    }
  }
}

/// A rectangle of pixels, which may reach beyond the picture.
struct Rectangle: Hashable, Sendable {
  var x: Int
  var y: Int
  var width: Int
  var height: Int
}

/// A colour in limited-range 8-bit YCbCr (BT.601).
public struct YCbCr: Hashable, Sendable {
  /// Luma; 16 is black and 235 is white.
  public var y: UInt8
  /// The blue difference, 16 to 240; 128 is neutral.
  public var cb: UInt8
  /// The red difference, 16 to 240; 128 is neutral.
  public var cr: UInt8

  /// Makes a colour of its code values, in the ranges of ``y``, ``cb`` and ``cr``.
  public init(_ y: UInt8, _ cb: UInt8, _ cr: UInt8) {
    self.y = y
    self.cb = cb
    self.cr = cr
  }

  /// Makes a neutral grey: 16 is black and 235 is white.
  public init(grey y: UInt8) { self.init(y, 128, 128) }
}
