internal import CYUV
public import CaptureCore

/// Writes pictures into rectangles of an NV12 picture. Thread-bound: only one thread may use an instance.
///
/// Where nothing has to change, samples go straight from the memory of the picture to their place. The writer keeps its
/// scratch memory from picture to picture.
public final class PictureWriter {
  private let unpacker = Unpacker()
  private let scaled = ScratchMemory()
  private let mirrored = ScratchMemory()
  private let colored = ScratchMemory()
  private lazy var reader = JPEGReader()
  private lazy var toneMapper = ToneMapper()

  /// Creates a writer without scratch memory.
  public init() {}

  /// Scales and converts `picture` to the size and the colours of `part`, and writes it there. A picture of high
  /// dynamic range is mapped to the tones that screens show.
  ///
  /// - Parameters:
  ///   - picture: a picture in any format that ``PictureConverter`` reads.
  ///   - isMirrored: whether left and right are exchanged.
  ///   - part: the layout in NV12 of the rectangle; see ``FrameLayout/part(_:)``.
  ///   - base: the start of the memory in which `part` lies.
  /// - Throws: `formatNotSupported` when the picture cannot be read, `frameDamaged` when its JPEG is damaged,
  ///   `processingFailed` when its bytes do not match its layout, `outOfBuffers` when memory is used up. The rectangle
  ///   then has its former content.
  public func write(
    _ picture: Picture, isMirrored: Bool = false, into part: FrameLayout, _ base: UnsafeMutablePointer<UInt8>
  ) throws(CaptureError) {
    precondition(part.pixelFormat == .nv12, "the writer makes NV12")
    try picture.validate()
    let from = picture.layout
    let target = NV12Target(part, base)
    if from.pixelFormat.isCompressed {
      write(try reader.planes(picture, atLeast: part.size), isMirrored: isMirrored, into: target)
    } else {
      picture.buffer.withUnsafeBytes { bytes in
        if !isMirrored, target.copy(from, bytes.bytes) { return }
        write(
          from.isHighDynamicRange
            ? toneMapper.planes(from, bytes.bytes)
            : unpacker.planes(from, bytes.bytes, rows: 0..<from.size.height, rgbRange: part.range),
          isMirrored: isMirrored, into: target)
      }
    }
  }

  private func write(_ planes: Planes, isMirrored: Bool, into target: NV12Target) {
    let changesRange = planes.range != target.range
    let changesMatrix = planes.matrix != target.matrix && !planes.isGrey
    if !isMirrored, changesRange, !changesMatrix, planes.size == target.size {
      target.moveLumaRange(from: planes.y, planes.yStride)
    } else {
      fit(
        planes.y, planes.yStride, planes.size, isMirrored: isMirrored, into: target.luma, target.lumaStride,
        target.size)
      if changesRange, !changesMatrix { target.moveLumaRange(from: target.luma, target.lumaStride) }
    }
    if planes.isGrey { return target.makeGrey() }
    var chroma = chroma(of: planes, isMirrored: isMirrored, target.size.chroma420)
    if changesMatrix {
      var colors = cyuv_colors(from: (planes.matrix, planes.range), to: (target.matrix, target.range))
      target.convertLuma(&colors, chroma)
      chroma = convert(chroma, &colors)
    }
    MergeUVPlane(
      chroma.u, Int32(chroma.stride.u), chroma.v, Int32(chroma.stride.v), target.chroma, Int32(target.chromaStride),
      Int32(chroma.size.width), Int32(chroma.size.height))
    if changesRange, !changesMatrix { target.moveChromaRange() }
  }

  /// Scales a plane and mirrors it.
  private func fit(
    _ source: UnsafePointer<UInt8>, _ stride: Int, _ size: Size, isMirrored: Bool,
    into target: UnsafeMutablePointer<UInt8>, _ targetStride: Int, _ targetSize: Size
  ) {
    guard isMirrored else {
      return Planes.scalePlane(source, stride, size, target, targetStride, targetSize)
    }
    var (source, stride) = (source, stride)
    if size != targetSize {
      let copy = scaled.reserve(targetSize.pixelCount)
      Planes.scalePlane(source, stride, size, copy, targetSize.width, targetSize)
      (source, stride) = (UnsafePointer(copy), targetSize.width)
    }
    MirrorPlane(
      source, Int32(stride), target, Int32(targetStride), Int32(targetSize.width), Int32(targetSize.height))
  }

  /// Returns the chroma of `planes`, scaled to `size` and mirrored. When nothing has to change, the result is the
  /// memory of `planes` itself.
  private func chroma(of planes: Planes, isMirrored: Bool, _ size: Size) -> ChromaPlanes {
    if planes.chroma == size, !isMirrored {
      return ChromaPlanes(u: planes.u, v: planes.v, stride: (planes.uStride, planes.vStride), size: size)
    }
    let u = mirrored.reserve(2 * size.pixelCount)
    let v = u + size.pixelCount
    fit(planes.u, planes.uStride, planes.chroma, isMirrored: isMirrored, into: u, size.width, size)
    fit(planes.v, planes.vStride, planes.chroma, isMirrored: isMirrored, into: v, size.width, size)
    return ChromaPlanes(u: u, v: v, stride: (size.width, size.width), size: size)
  }

  private func convert(_ chroma: ChromaPlanes, _ colors: inout cyuv_colors) -> ChromaPlanes {
    let (width, height) = (chroma.size.width, chroma.size.height)
    // The converted samples have memory of their own, because the source may be the camera's frame.
    let u = colored.reserve(2 * chroma.size.pixelCount)
    let v = u + chroma.size.pixelCount
    for line in 0..<height {
      cyuv_convert_chroma(
        &colors, chroma.u + chroma.stride.u * line, chroma.v + chroma.stride.v * line, u + width * line,
        v + width * line, width)
    }
    return ChromaPlanes(u: u, v: v, stride: (width, width), size: chroma.size)
  }
}
