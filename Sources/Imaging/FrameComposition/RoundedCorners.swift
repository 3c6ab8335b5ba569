internal import CYUV
internal import CaptureCore
internal import Imaging

/// The corners of one rectangle in an NV12 picture. They keep the pixels that lie below a layer, and blend them over
/// the layer after it was written, so that all of the layer but its corners needs no blending. Thread-bound.
///
/// The masks are made once and fit every picture of the same layout.
final class RoundedCorners {
  /// A part of the rectangle that holds one corner.
  private struct Corner {
    let luma, chroma: FrameLayout.Plane
    let width, chromaWidth: Int
    /// The share of the layer in each byte of the part, luma first.
    let mask: [UInt8]

    /// Each plane of the part, the place of its bytes in ``mask``, and the bytes of a line.
    var planes: [(plane: FrameLayout.Plane, start: Int, width: Int)] {
      [(luma, 0, width), (chroma, width * luma.rows, chromaWidth)]
    }
  }
  private let corners: [Corner]
  /// For each corner, the bytes of the picture below the layer, in the order of the mask.
  private var below: [[UInt8]]

  /// Makes the masks of a rectangle.
  ///
  /// - Parameters:
  ///   - radius: the radius in pixels, more than 0; more than half the shorter side counts as half of it.
  ///   - part: the layout of the rectangle, which begins at an even column and line of the picture.
  init(radius: Int, of part: FrameLayout) {
    let size = part.size
    let radius = min(Double(radius), Double(min(size.width, size.height)) / 2)
    let columns = Self.ends(size.width, radius)
    let rows = Self.ends(size.height, radius)
    corners = rows.flatMap { rows in
      columns.compactMap { columns in
        columns.isEmpty || rows.isEmpty ? nil : Self.corner(columns, rows, radius, part)
      }
    }
    below = corners.map { [UInt8](repeating: 0, count: $0.mask.count) }
  }

  /// The first and the last pixels of a side of `length` pixels, which hold the corners. Both begin at an even pixel,
  /// and no pixel is in both.
  private static func ends(_ length: Int, _ radius: Double) -> [Range<Int>] {
    let reach = (Int(radius.rounded(.up)) + 1) & ~1
    let first = min(length, reach)
    return [0..<first, max(first, (length - reach) & ~1)..<length]
  }

  private static func corner(_ columns: Range<Int>, _ rows: Range<Int>, _ radius: Double, _ part: FrameLayout) -> Corner
  {
    let (width, height) = (columns.count, rows.count)
    let crop = Crop(x: columns.lowerBound, y: rows.lowerBound, size: Size(width: width, height: height))
    let place = part.part(crop)
    var mask = rows.flatMap { y in columns.map { x in share(x, y, part.size, radius) } }
    for y in stride(from: 0, to: height, by: 2) {
      for x in stride(from: 0, to: width, by: 2) {
        let (right, below) = (min(x + 1, width - 1), min(y + 1, height - 1))
        let sum = [y, below].reduce(0) { $0 + Int(mask[$1 * width + x]) + Int(mask[$1 * width + right]) }
        // One byte for Cb and one for Cr.
        mask += [UInt8((sum + 2) / 4), UInt8((sum + 2) / 4)]
      }
    }
    return Corner(
      luma: place.planes[0], chroma: place.planes[1], width: width, chromaWidth: (width + 1) / 2 * 2, mask: mask)
  }

  /// How much of a pixel of a rectangle with round corners lies inside, 0 to 255.
  private static func share(_ x: Int, _ y: Int, _ size: Size, _ radius: Double) -> UInt8 {
    // How far the middle of the pixel lies outside of the rectangle that has the centres of the corners' circles as its
    // corners.
    func outside(_ place: Int, _ length: Int) -> Double {
      let middle = Double(place) + 0.5
      return max(0, radius - middle, middle - (Double(length) - radius))
    }
    let (across, down) = (outside(x, size.width), outside(y, size.height))
    let distance = (across * across + down * down).squareRoot()
    return UInt8((255 * max(0, min(1, radius + 0.5 - distance))).rounded())
  }

  /// Keeps the pixels of the picture at `base`. Call this before the layer is written.
  func keep(_ base: UnsafePointer<UInt8>) {
    for (index, corner) in corners.enumerated() {
      below[index].withUnsafeMutableBufferPointer { kept in
        for (plane, start, width) in corner.planes {
          CopyPlane(
            base + plane.offset, Int32(plane.stride), kept.baseAddress! + start, Int32(width), Int32(width),
            Int32(plane.rows))
        }
      }
    }
  }

  /// Puts back what lies outside of the round corners.
  func round(_ base: UnsafeMutablePointer<UInt8>) {
    for (corner, below) in zip(corners, below) {
      below.withUnsafeBufferPointer { kept in
        corner.mask.withUnsafeBufferPointer { mask in
          for (plane, start, width) in corner.planes {
            let place = base + plane.offset
            BlendPlane(
              place, Int32(plane.stride), kept.baseAddress! + start, Int32(width), mask.baseAddress! + start,
              Int32(width), place, Int32(plane.stride), Int32(width), Int32(plane.rows))
          }
        }
      }
    }
  }
}
