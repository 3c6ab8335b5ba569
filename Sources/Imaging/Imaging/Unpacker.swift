internal import CYUV
internal import CaptureCore

/// Presents uncompressed pictures as planes. Planes that already have the right layout stay where they lie, and all
/// others are unpacked into scratch memory. Thread-bound: each call invalidates the planes of the call before.
final class Unpacker {
  private let scratch = ScratchMemory()
  private let neutral = ScratchMemory()
  private lazy var stretcher = WideGreyStretcher()

  /// Unpacks the lines `rows` of a validated picture to 4:2:0; with `keepsChromaLines` a 4:2:2 picture stays 4:2:2.
  ///
  /// - Parameters:
  ///   - base: The start of the picture's memory. The returned planes may point into this memory.
  ///   - rows: The lines to unpack. They must begin at an even line, and must end at an even line or at the bottom. Of
  ///     a picture in wide grey they must be all lines, because all of them decide which values are black and white.
  ///   - rgbRange: The range of the BT.601 planes that RGB becomes.
  func planes(
    _ layout: FrameLayout, _ base: UnsafePointer<UInt8>, rows: Range<Int>, keepsChromaLines: Bool = false,
    rgbRange: FrameLayout.Range = .limited
  ) -> Planes {
    let format = layout.pixelFormat
    let size = Size(width: layout.size.width, height: rows.count)
    let source = Source(layout: layout, base: base, rows: rows)
    switch format {
    case .yuv420: return source.view(u: 1, v: 2, chroma: size.chroma420)
    case .yvu420: return source.view(u: 2, v: 1, chroma: size.chroma420)
    case .grey:
      var planes = source.view(u: 0, v: 0, chroma: size.chroma420)
      planes.showNeutralChroma(in: neutral)
      return planes
    case .nv12, .nv21:
      var planes = source.view(u: 0, v: 0, chroma: size.chroma420)
      let (width, height) = (planes.chroma.width, planes.chroma.height)
      let stride = (width + 63) & ~63
      let first = scratch.reserve(2 * stride * height)
      let second = first + stride * height
      SplitUVPlane(
        source.plane(1, line: rows.lowerBound / 2), source.stride(1), first, Int32(stride), second, Int32(stride),
        Int32(width), Int32(height))
      (planes.u, planes.v) = format == .nv12 ? (first, second) : (second, first)
      (planes.uStride, planes.vStride) = (stride, stride)
      return planes
    case .p010:
      let planes = scratch.planes(size, chroma: size.chroma420, range: layout.range, matrix: layout.matrix)
      source.narrow(into: planes, neutral)
      return planes
    case .yuv422p:
      let whole = source.view(u: 1, v: 2, chroma: size.chroma422, chromaLine: rows.lowerBound)
      return keepsChromaLines ? whole : whole.halvingChromaLines(in: scratch)
    case .y10, .y12, .y14, .y16, .y16BE: return stretcher.planes(layout, base)
    default:
      let chroma = keepsChromaLines && format.hasFullHeightChroma ? size.chroma422 : size.chroma420
      let planes = scratch.planes(
        size, chroma: chroma, range: format.isRGB ? rgbRange : layout.range,
        matrix: format.isRGB ? .bt601 : layout.matrix)
      source.unpack(into: planes)
      return planes
    }
  }
}

/// A range of lines of a picture in memory.
private struct Source {
  let layout: FrameLayout
  let base: UnsafePointer<UInt8>
  let rows: Range<Int>

  func plane(_ index: Int, line: Int) -> UnsafePointer<UInt8> {
    base + layout.planes[index].offset + layout.planes[index].stride * line
  }

  func stride(_ index: Int) -> Int32 { Int32(layout.planes[index].stride) }

  /// The planes of the lines, in the picture's own memory.
  ///
  /// - Parameters:
  ///   - u: The index of the plane that holds U.
  ///   - v: The index of the plane that holds V.
  ///   - chromaLine: The first line of chroma; nil for a format with one line of chroma per two lines of luma.
  func view(u: Int, v: Int, chroma: Size, chromaLine: Int? = nil) -> Planes {
    let line = chromaLine ?? rows.lowerBound / 2
    return Planes(
      size: Size(width: layout.size.width, height: rows.count), chroma: chroma,
      y: UnsafeMutablePointer(mutating: plane(0, line: rows.lowerBound)),
      u: UnsafeMutablePointer(mutating: plane(u, line: line)), v: UnsafeMutablePointer(mutating: plane(v, line: line)),
      yStride: layout.planes[0].stride, uStride: layout.planes[u].stride, vStride: layout.planes[v].stride,
      range: layout.range, matrix: layout.matrix)
  }

  /// Writes the upper eight bits of each sample that has more bits to `planes`.
  func narrow(into planes: Planes, _ scratch: ScratchMemory) {
    let (width, height) = (Int32(planes.size.width), Int32(planes.size.height))
    // libyuv takes the scale in units of 1/65536, and the source strides in samples.
    let scale: Int32 = 1 << 8
    func samples(_ index: Int, line: Int) -> UnsafePointer<UInt16> {
      UnsafeRawPointer(plane(index, line: line)).assumingMemoryBound(to: UInt16.self)
    }
    Convert16To8Plane(
      samples(0, line: rows.lowerBound), stride(0) / 2, planes.y, Int32(planes.yStride), scale, width, height)
    let (chromaWidth, chromaHeight) = (Int32(planes.chroma.width), Int32(planes.chroma.height))
    let pairs = scratch.reserve(2 * planes.chroma.pixelCount)
    Convert16To8Plane(
      samples(1, line: rows.lowerBound / 2), stride(1) / 2, pairs, 2 * chromaWidth, scale, 2 * chromaWidth,
      chromaHeight)
    SplitUVPlane(
      pairs, 2 * chromaWidth, planes.u, Int32(planes.uStride), planes.v, Int32(planes.vStride), chromaWidth,
      chromaHeight)
  }

  /// Converts a packed format with the libyuv function for that format.
  func unpack(into planes: Planes) {
    let keepsChromaLines = planes.chroma.height == planes.size.height && planes.size.height > 1
    let isFullRange = planes.range == .full
    // libyuv names formats by the bytes of a little-endian word: its RGB24 is B, G, R in memory, and its RAW is R, G,
    // B.
    let convert: Conversion
    switch (layout.pixelFormat, keepsChromaLines, isFullRange) {
    case (.yuyv, true, _): convert = YUY2ToI422
    case (.yuyv, false, _): convert = YUY2ToI420
    case (.uyvy, true, _): convert = UYVYToI422
    case (.uyvy, false, _): convert = UYVYToI420
    case (.bgr24, _, true): convert = RGB24ToJ420
    case (.bgr24, _, false): convert = RGB24ToI420
    case (.rgb24, _, true): convert = RAWToJ420
    case (.rgb24, _, false): convert = RAWToI420
    case (.abgr32, _, true), (.xbgr32, _, true), (.bgr32, _, true): convert = ARGBToJ420
    case (.abgr32, _, false), (.xbgr32, _, false), (.bgr32, _, false): convert = ARGBToI420
    default: preconditionFailure("\(layout.pixelFormat) is not packed")
    }
    _ = convert(
      plane(0, line: rows.lowerBound), stride(0), planes.y, Int32(planes.yStride), planes.u, Int32(planes.uStride),
      planes.v, Int32(planes.vStride), Int32(planes.size.width), Int32(planes.size.height))
  }

  private typealias Bytes = UnsafeMutablePointer<UInt8>?
  private typealias Conversion = (
    UnsafePointer<UInt8>?, Int32, Bytes, Int32, Bytes, Int32, Bytes, Int32, Int32, Int32
  ) -> Int32
}

extension Planes {
  /// Makes the picture grey: one line of neutral samples (128) in `scratch` serves as every line of chroma.
  mutating func showNeutralChroma(in scratch: ScratchMemory) {
    let line = scratch.reserve(size.width)
    line.update(repeating: 128, count: size.width)
    (u, v, uStride, vStride, isGrey) = (line, line, 0, 0, true)
  }

  /// Converts 4:2:2 to 4:2:0: each line of chroma becomes the mean of two lines. A last line without a partner stays as
  /// it is.
  fileprivate func halvingChromaLines(in scratch: ScratchMemory) -> Planes {
    var half = self
    half.chroma = size.chroma420
    let stride = (chroma.width + 63) & ~63
    half.u = scratch.reserve(2 * stride * half.chroma.height)
    half.v = half.u + stride * half.chroma.height
    (half.uStride, half.vStride) = (stride, stride)
    for (from, step, to) in [(u, uStride, half.u), (v, vStride, half.v)] {
      let pairs = chroma.height / 2
      InterpolatePlane(
        from, Int32(2 * step), from + step, Int32(2 * step), to, Int32(stride), Int32(chroma.width), Int32(pairs), 128)
      if chroma.height % 2 == 1 { (to + stride * pairs).update(from: from + step * 2 * pairs, count: chroma.width) }
    }
    return half
  }
}
