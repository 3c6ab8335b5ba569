internal import CYUV
internal import CaptureCore

/// Writes planes into the memory of a picture. Thread-bound: only one thread may use an instance.
final class Packer {
  private let scratch = ScratchMemory()
  private let neutral = ScratchMemory()
  private let converted = ScratchMemory()
  private let wide = ScratchMemory()

  /// Scales `planes` to the size of `layout` and writes them in its format, which must be one that ``PictureConverter``
  /// can make.
  ///
  /// - Parameter base: The start of the picture's memory.
  func pack(_ planes: Planes, into layout: FrameLayout, _ base: UnsafeMutablePointer<UInt8>) {
    let target = Target(layout: layout, base: base)
    switch layout.pixelFormat {
    case .grey:
      Planes.scalePlane(planes.y, planes.yStride, planes.size, target.plane(0), target.stride(0), layout.size)
    case .yuv420: write(planes, into: target.planes(u: 1, v: 2, chroma: layout.size.chroma420))
    case .yvu420: write(planes, into: target.planes(u: 2, v: 1, chroma: layout.size.chroma420))
    case .yuv422p: write(planes, into: target.planes(u: 1, v: 2, chroma: layout.size.chroma422))
    case .nv12, .nv21:
      let chroma = scaledChroma(planes, to: layout.size.chroma420)
      Planes.scalePlane(planes.y, planes.yStride, planes.size, target.plane(0), target.stride(0), layout.size)
      let (first, second) = layout.pixelFormat == .nv12 ? (chroma.u, chroma.v) : (chroma.v, chroma.u)
      MergeUVPlane(
        first, Int32(chroma.uStride), second, Int32(chroma.vStride), target.plane(1), Int32(target.stride(1)),
        Int32(chroma.chroma.width), Int32(chroma.chroma.height))
    case .p010:
      // Planes hold eight bits per sample, so the lower two bits of each ten-bit sample stay 0.
      guard let narrow = FrameLayout.packed(.nv12, layout.size) else { return }
      let bytes = wide.reserve(narrow.byteCount)
      pack(planes, into: narrow, bytes)
      for (plane, from) in zip(layout.planes, narrow.planes) {
        for row in 0..<from.rows {
          let samples = UnsafeMutableRawPointer(base + plane.offset + row * plane.stride)
          for index in 0..<from.stride {
            let sample = UInt16(bytes[from.offset + row * from.stride + index]) << 8
            samples.storeBytes(of: sample.littleEndian, toByteOffset: 2 * index, as: UInt16.self)
          }
        }
      }
    default:
      let ready = scaled(planes, to: layout.size)
      target.interleave(layout.pixelFormat.isRGB ? inBT601(ready) : ready)
    }
  }

  private func write(_ planes: Planes, into target: Planes) {
    planes.scale(into: target)
    guard planes.isGrey else { return }
    for line in 0..<target.chroma.height {
      (target.u + target.uStride * line).update(repeating: 128, count: target.chroma.width)
      (target.v + target.vStride * line).update(repeating: 128, count: target.chroma.width)
    }
  }

  /// Returns `planes` with chroma scaled to `size`, or with the chroma where it lies when its size is right already.
  ///
  /// The luma of the result keeps its own size; callers must not use it.
  private func scaledChroma(_ planes: Planes, to size: Size) -> Planes {
    var result = planes
    result.chroma = size
    if planes.isGrey {
      result.showNeutralChroma(in: neutral)
    } else if planes.chroma != size {
      let stride = (size.width + 63) & ~63
      result.u = scratch.reserve(2 * stride * size.height)
      result.v = result.u + stride * size.height
      (result.uStride, result.vStride) = (stride, stride)
      Planes.scalePlane(planes.u, planes.uStride, planes.chroma, result.u, stride, size)
      Planes.scalePlane(planes.v, planes.vStride, planes.chroma, result.v, stride, size)
    }
    return result
  }

  /// Returns `planes` scaled to `size`, or `planes` themselves when nothing has to change.
  ///
  /// The result is 4:2:2 when `planes` have as many lines of chroma as of luma, else 4:2:0.
  private func scaled(_ planes: Planes, to size: Size) -> Planes {
    let keepsChromaLines = planes.chroma.height == planes.size.height
    let chroma = keepsChromaLines ? size.chroma422 : size.chroma420
    if planes.size == size, planes.chroma == chroma { return planes }
    var result = scratch.planes(size, chroma: chroma, range: planes.range, matrix: planes.matrix)
    planes.scale(into: result)
    if planes.isGrey { result.showNeutralChroma(in: neutral) }
    return result
  }

  /// Returns `planes` in BT.601, which libyuv converts to RGB correctly, or `planes` themselves when they are in BT.601
  /// or grey.
  private func inBT601(_ planes: Planes) -> Planes {
    if planes.matrix == .bt601 || planes.isGrey { return planes }
    let result = converted.planes(planes.size, chroma: planes.chroma, range: .full, matrix: .bt601)
    JFIFColors.convert(planes, into: result)
    return result
  }
}

/// The memory and layout of a picture that the packer writes.
private struct Target {
  let layout: FrameLayout
  let base: UnsafeMutablePointer<UInt8>

  func plane(_ index: Int) -> UnsafeMutablePointer<UInt8> { base + layout.planes[index].offset }
  func stride(_ index: Int) -> Int { layout.planes[index].stride }

  func planes(u: Int, v: Int, chroma: Size) -> Planes {
    Planes(
      size: layout.size, chroma: chroma, y: plane(0), u: plane(u), v: plane(v), yStride: stride(0),
      uStride: stride(u), vStride: stride(v), range: layout.range, matrix: layout.matrix)
  }

  /// Converts the planes `p`, which have the picture's size, to the picture's packed format.
  func interleave(_ p: Planes) {
    let (width, height) = (Int32(layout.size.width), Int32(layout.size.height))
    let (ys, us, vs, step) = (Int32(p.yStride), Int32(p.uStride), Int32(p.vStride), Int32(stride(0)))
    let has422 = p.chroma.height == p.size.height
    let isFull: Int32 = p.range == .full ? 1 : 0
    switch layout.pixelFormat {
    case .yuyv: _ = (has422 ? I422ToYUY2 : I420ToYUY2)(p.y, ys, p.u, us, p.v, vs, plane(0), step, width, height)
    case .uyvy: _ = (has422 ? I422ToUYVY : I420ToUYVY)(p.y, ys, p.u, us, p.v, vs, plane(0), step, width, height)
    case .bgr24:
      _ = (has422 ? I422ToRGB24Matrix : I420ToRGB24Matrix)(
        p.y, ys, p.u, us, p.v, vs, plane(0), step, cyuv_matrix(isFull), width, height)
    case .rgb24:
      _ = (has422 ? I422ToRGB24Matrix : I420ToRGB24Matrix)(
        p.y, ys, p.v, vs, p.u, us, plane(0), step, cyuv_swapped_matrix(isFull), width, height)
    case .abgr32, .xbgr32, .bgr32:
      _ = (has422 ? I422ToARGBMatrix : I420ToARGBMatrix)(
        p.y, ys, p.u, us, p.v, vs, plane(0), step, cyuv_matrix(isFull), width, height)
    default: preconditionFailure("\(layout.pixelFormat) cannot be made")
    }
  }
}
