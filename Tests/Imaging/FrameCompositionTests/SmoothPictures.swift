import CaptureCore
import CaptureTestKit
import Imaging

/// A picture whose samples change evenly from edge to edge, so that any filter scales it almost alike, and a slow
/// computation of what it looks like anywhere.
struct SmoothPicture {
  var size: Size
  /// Luma, Cb and Cr at the upper left corner, and by how much each grows to the right edge and to the bottom.
  var samples: [(start: Double, across: Double, down: Double)]

  init(_ size: Size, _ random: inout SeededGenerator) {
    self.size = size
    samples = (0..<3).map { _ in
      (
        .random(in: 80...170, using: &random), .random(in: -30...30, using: &random),
        .random(in: -30...30, using: &random)
      )
    }
  }

  /// The value of a sample at a place given in shares of the width and the height.
  func value(_ plane: Int, _ x: Double, _ y: Double) -> Double {
    samples[plane].start + samples[plane].across * x + samples[plane].down * y
  }

  /// The most by which neighbouring samples of the picture differ.
  var slope: Double {
    samples.map { abs($0.across) / Double(size.width) + abs($0.down) / Double(size.height) }.max()! * 2
  }

  /// The picture in a format with 4:2:0 or 4:2:2 chroma, or in grey.
  func picture(_ format: PixelFormat, padding: Int, range: FrameLayout.Range = .limited) -> Picture {
    var layout = FrameLayout.packed(format, size, range: range)!
    var offset = 0
    for index in layout.planes.indices {
      layout.planes[index].offset = offset
      layout.planes[index].stride += padding
      offset += layout.planes[index].stride * layout.planes[index].rows + padding
    }
    let memory = pool.take(offset)!
    let bytes = memory.bytes
    _ = bytes.initializeMemory(as: UInt8.self, repeating: 255)
    func put(_ plane: Int, _ byte: Int, _ row: Int, _ value: Double) {
      bytes[layout.planes[plane].offset + layout.planes[plane].stride * row + byte] = UInt8(value.rounded())
    }
    let (width, height) = (Double(size.width), Double(size.height))
    for y in 0..<size.height {
      for x in 0..<size.width {
        put(0, format == .yuyv ? 2 * x : x, y, value(0, (Double(x) + 0.5) / width, (Double(y) + 0.5) / height))
      }
      for x in stride(from: 0, to: size.width, by: 2) where format != .grey && (y % 2 == 0 || format == .yuyv) {
        let (across, down) = (min(1, Double(x + 1) / width), min(1, Double(y + 1) / height))
        let (cb, cr) = (value(1, across, down), value(2, across, down))
        switch format {
        case .yuyv:
          put(0, 2 * x + 1, y, cb)
          put(0, 2 * x + 3, y, cr)
        case .nv12:
          put(1, x, y / 2, cb)
          put(1, x + 1, y / 2, cr)
        default:
          put(1, x / 2, y / 2, cb)
          put(2, x / 2, y / 2, cr)
        }
      }
    }
    return Picture(layout: layout, buffer: memory.freeze(count: offset))
  }
}

/// Composes smooth pictures pixel by pixel, as slowly and plainly as possible.
struct PlainComposition {
  let size: Size
  /// Luma at full size, and Cb and Cr at half the size.
  var planes: [[Double]]

  private var half: Size { Size(width: (size.width + 1) / 2, height: (size.height + 1) / 2) }

  init(_ size: Size) {
    self.size = size
    let half = Size(width: (size.width + 1) / 2, height: (size.height + 1) / 2)
    planes = [
      [Double](repeating: 16, count: size.pixelCount), [Double](repeating: 128, count: half.pixelCount),
      [Double](repeating: 128, count: half.pixelCount),
    ]
  }

  mutating func draw(_ source: SmoothPicture, isGrey: Bool, _ layer: CompositionLayer) {
    let place = layer.rectangle.aligned(in: size)
    let (width, height) = (place.size.width, place.size.height)
    let radius = min(Double(layer.cornerRadius), Double(min(width, height)) / 2)
    func share(_ x: Int, _ y: Int) -> Double {
      guard radius > 0 else { return 1 }
      let (px, py) = (Double(x) + 0.5, Double(y) + 0.5)
      let cx = min(max(px, radius), Double(width) - radius)
      let cy = min(max(py, radius), Double(height) - radius)
      let distance = ((px - cx) * (px - cx) + (py - cy) * (py - cy)).squareRoot()
      return max(0, min(1, radius + 0.5 - distance))
    }
    func mix(_ plane: Int, _ index: Int, _ value: Double, _ share: Double) {
      planes[plane][index] = value * share + planes[plane][index] * (1 - share)
    }
    for y in 0..<height {
      for x in 0..<width {
        let across = (Double(layer.isMirrored ? width - 1 - x : x) + 0.5) / Double(width)
        let down = (Double(y) + 0.5) / Double(height)
        mix(0, (place.y + y) * size.width + place.x + x, source.value(0, across, down), share(x, y))
        guard x % 2 == 0, y % 2 == 0 else { continue }
        let (right, below) = (min(x + 1, width - 1), min(y + 1, height - 1))
        let mean = (share(x, y) + share(right, y) + share(x, below) + share(right, below)) / 4
        let (middle, lower) = (min(1, Double(x + 1) / Double(width)), min(1, Double(y + 1) / Double(height)))
        let index = (place.y + y) / 2 * half.width + (place.x + x) / 2
        for plane in 1...2 {
          let value = source.value(plane, layer.isMirrored ? 1 - middle : middle, lower)
          mix(plane, index, isGrey ? 128 : value, mean)
        }
      }
    }
  }

  /// The largest difference to a picture in NV12.
  func difference(to picture: Picture) -> Double {
    var worst = 0.0
    picture.buffer.withUnsafeBytes { bytes in
      let (luma, chroma) = (picture.layout.planes[0], picture.layout.planes[1])
      for y in 0..<size.height {
        for x in 0..<size.width {
          let found = Double(bytes[luma.offset + luma.stride * y + x])
          worst = max(worst, abs(found - planes[0][y * size.width + x]))
        }
      }
      for y in 0..<half.height {
        for x in 0..<half.width {
          for plane in 1...2 {
            let found = Double(bytes[chroma.offset + chroma.stride * y + 2 * x + plane - 1])
            worst = max(worst, abs(found - planes[plane][y * half.width + x]))
          }
        }
      }
    }
    return worst
  }
}
