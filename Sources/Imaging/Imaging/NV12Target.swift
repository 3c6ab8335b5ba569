internal import CYUV
internal import CaptureCore

/// A rectangle of an NV12 picture that ``PictureWriter`` writes to.
struct NV12Target {
  let size: Size
  let range: FrameLayout.Range
  let matrix: FrameLayout.Matrix
  let luma, chroma: UnsafeMutablePointer<UInt8>
  let lumaStride, chromaStride: Int

  init(_ layout: FrameLayout, _ base: UnsafeMutablePointer<UInt8>) {
    (size, range, matrix) = (layout.size, layout.range, layout.matrix)
    (luma, lumaStride) = (base + layout.planes[0].offset, layout.planes[0].stride)
    (chroma, chromaStride) = (base + layout.planes[1].offset, layout.planes[1].stride)
  }

  /// The bytes of a line of chroma.
  private var chromaWidth: Int { 2 * size.chroma420.width }

  /// Copies a picture that has the target's size and colours and one of the two formats that most cameras deliver, NV12
  /// and YUYV. U and V stay interleaved, which saves the step that separates them. The picture has to be copied,
  /// because the writer may write other layers over it, and the memory of a frame never changes.
  ///
  /// - Returns: whether the picture was copied. Of any other picture nothing is copied.
  func copy(_ from: FrameLayout, _ source: UnsafePointer<UInt8>) -> Bool {
    guard from.size == size, from.range == range, from.matrix == matrix, !from.isHighDynamicRange else {
      return false
    }
    let first = source + from.planes[0].offset
    switch from.pixelFormat {
    case .nv12:
      CopyPlane(
        first, Int32(from.planes[0].stride), luma, Int32(lumaStride), Int32(size.width), Int32(size.height))
      CopyPlane(
        source + from.planes[1].offset, Int32(from.planes[1].stride), chroma, Int32(chromaStride),
        Int32(chromaWidth), Int32(size.chroma420.height))
    case .yuyv:
      YUY2ToNV12(
        first, Int32(from.planes[0].stride), luma, Int32(lumaStride), chroma, Int32(chromaStride),
        Int32(size.width), Int32(size.height))
    default: return false
    }
    return true
  }

  /// Converts luma of the other range to the range of the target. `source` may be the target itself.
  func moveLumaRange(from source: UnsafePointer<UInt8>, _ stride: Int) {
    let move = range == .full ? cyuv_expand_luma : cyuv_compress_luma
    for line in 0..<size.height { move(source + stride * line, luma + lumaStride * line, size.width) }
  }

  /// Converts the target's chroma, which has the other range. The conversion treats U and V alike, so it need not
  /// separate them.
  func moveChromaRange() {
    let move = range == .full ? cyuv_expand_chroma : cyuv_compress_chroma
    for line in 0..<size.chroma420.height {
      let samples = chroma + chromaStride * line
      move(samples, samples, chromaWidth)
    }
  }

  func makeGrey() {
    for line in 0..<size.chroma420.height {
      (chroma + chromaStride * line).update(repeating: 128, count: chromaWidth)
    }
  }

  /// Converts the luma that is in the target to the target's colours. Until then the luma has the colours of the
  /// picture that `source` is the chroma of.
  func convertLuma(_ colors: inout cyuv_colors, _ source: ChromaPlanes) {
    for line in 0..<size.height {
      let samples = luma + lumaStride * line
      cyuv_convert_luma(
        &colors, samples, source.u + source.stride.u * (line / 2), source.v + source.stride.v * (line / 2), samples,
        size.width)
    }
  }
}

/// The two planes of chroma that a step of ``PictureWriter`` hands to the next one. They lie in the memory of the
/// picture or in scratch memory, and not yet in the target.
struct ChromaPlanes {
  var u, v: UnsafePointer<UInt8>
  var stride: (u: Int, v: Int)
  var size: Size
}
