internal import CYUV
internal import CaptureCore

/// Three planes of samples in memory that another object owns. Unpacking produces planes, and packing consumes them.
///
/// Chroma may have any size: uncompressed pictures give 4:2:0 and 4:2:2, and JPEG may give other sizes. Planes that lie
/// in a picture's own memory must only be read. Their pointers are mutable so that one type describes both the source
/// and the target of a step.
struct Planes {
  var size: Size
  var chroma: Size
  var y: UnsafeMutablePointer<UInt8>
  var u: UnsafeMutablePointer<UInt8>
  var v: UnsafeMutablePointer<UInt8>
  var yStride: Int
  var uStride: Int
  var vStride: Int
  var range: FrameLayout.Range
  var matrix: FrameLayout.Matrix
  /// Whether the picture has no colour. `u` and `v` then point to one line of samples of 128, which serves as every
  /// line (stride 0).
  var isGrey = false

  /// Returns the lines `rows` of 4:2:0 planes. `rows` must begin at an even line, and must end at an even line or at
  /// the bottom of the picture.
  func lines(_ rows: Range<Int>) -> Planes {
    var part = self
    let first = rows.lowerBound / 2
    part.size.height = rows.count
    part.chroma.height = (rows.count + 1) / 2
    part.y += yStride * rows.lowerBound
    part.u += uStride * first
    part.v += vStride * first
    return part
  }

  /// Scales the planes into `target`, or copies them when the sizes are equal. The filter is a box when shrinking, and
  /// bilinear otherwise.
  ///
  /// The chroma of grey planes is not written: a caller that scales grey planes must check ``isGrey``.
  func scale(into target: Planes) {
    Self.scalePlane(y, yStride, size, target.y, target.yStride, target.size)
    if isGrey { return }
    Self.scalePlane(u, uStride, chroma, target.u, target.uStride, target.chroma)
    Self.scalePlane(v, vStride, chroma, target.v, target.vStride, target.chroma)
  }

  static func scalePlane(
    _ source: UnsafePointer<UInt8>, _ sourceStride: Int, _ size: Size,
    _ target: UnsafeMutablePointer<UInt8>, _ targetStride: Int, _ targetSize: Size
  ) {
    ScalePlane(
      source, Int32(sourceStride), Int32(size.width), Int32(size.height),
      target, Int32(targetStride), Int32(targetSize.width), Int32(targetSize.height), kFilterBox)
  }
}

extension Size {
  /// The size of each chroma plane of a 4:2:0 picture of this size.
  var chroma420: Size { Size(width: (width + 1) / 2, height: (height + 1) / 2) }
  /// The size of each chroma plane of a 4:2:2 picture of this size.
  var chroma422: Size { Size(width: (width + 1) / 2, height: height) }
}

/// Memory for intermediate results between two steps. The memory is kept from picture to picture, so that no frame
/// needs an allocation.
///
/// Thread-bound: each reservation invalidates the reservation before.
final class ScratchMemory {
  private var memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 0, alignment: 64)

  deinit { memory.deallocate() }

  /// Returns at least `count` bytes with undefined content. The memory grows and never shrinks.
  func reserve(_ count: Int) -> UnsafeMutablePointer<UInt8> {
    if memory.count < count {
      memory.deallocate()
      memory = .allocate(byteCount: count, alignment: 64)
    }
    // A buffer of zero bytes may have no address, so an empty reservation takes 64 bytes.
    guard let base = memory.baseAddress else { return reserve(64) }
    return base.assumingMemoryBound(to: UInt8.self)
  }

  /// Reserves memory for three planes, each line of which is padded to a multiple of 64 bytes, a cache line.
  func planes(_ size: Size, chroma: Size, range: FrameLayout.Range, matrix: FrameLayout.Matrix) -> Planes {
    let (yStride, cStride) = ((size.width + 63) & ~63, (chroma.width + 63) & ~63)
    let base = reserve(yStride * size.height + 2 * cStride * chroma.height)
    let u = base + yStride * size.height
    return Planes(
      size: size, chroma: chroma, y: base, u: u, v: u + cStride * chroma.height,
      yStride: yStride, uStride: cStride, vStride: cStride, range: range, matrix: matrix)
  }
}
