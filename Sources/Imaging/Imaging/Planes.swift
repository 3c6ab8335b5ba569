internal import CYUV
internal import CaptureCore

/// Three planes of samples in memory somebody else owns: the form between unpacking and packing.
///
/// Chroma may have any size; 4:2:0 and 4:2:2 come from pictures, others from JPEG. Planes that show a picture's own
/// memory are only read: the pointers are mutable so that one type serves both ends of a step.
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
  /// No colour: `u` and `v` are one line of 128, used for every line (stride 0).
  var isGrey = false

  /// Lines `rows`, which must begin at an even one and, unless at the bottom, end at an even one. Only 4:2:0.
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

  /// Scales, or with equal sizes copies, into `target`. The filter is a box when shrinking, else bilinear.
  ///
  /// Grey chroma is not written: the caller of a grey picture looks at ``isGrey``.
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
  /// The chroma of a 4:2:0 picture of this size.
  var chroma420: Size { Size(width: (width + 1) / 2, height: (height + 1) / 2) }
  /// The chroma of a 4:2:2 picture of this size.
  var chroma422: Size { Size(width: (width + 1) / 2, height: height) }
}
