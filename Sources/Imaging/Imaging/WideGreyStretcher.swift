internal import CYUV
internal import CaptureCore

/// Makes grey of eight bits of pictures in wide grey (``PixelFormat/isWideGrey``), for people and for formats of eight
/// bits.
///
/// A thermal camera uses a few hundred of its 65,536 values, and its upper eight bits are the same everywhere.
/// Therefore the values that the picture uses reach from black to white. Each picture is stretched by its own values
/// alone, so that it looks the same in a preview, in a photo and in a movie, whatever came before. The lowest and the
/// highest thousandth of the samples do not count, so that dead pixels do not take the contrast from all others.
/// Thread-bound: each call invalidates the planes of the call before.
final class WideGreyStretcher {
  /// The least distance of the values of black and white. The noise of a uniform picture would otherwise fill the whole
  /// range. With this distance, a step of the sensor becomes at most four steps of grey.
  private static let leastSpan: UInt32 = 64

  private let counters = ScratchMemory()
  private let luma = ScratchMemory()
  private let neutral = ScratchMemory()

  /// Stretches a validated picture, in the range of its layout.
  ///
  /// - Parameter base: The start of the picture's memory.
  func planes(_ layout: FrameLayout, _ base: UnsafePointer<UInt8>) -> Planes {
    guard let bits = layout.pixelFormat.wideGreyBits else {
      preconditionFailure("\(layout.pixelFormat) is no wide grey")
    }
    let size = layout.size
    var plane = cyuv_wide_plane(
      samples: base + layout.planes[0].offset, stride: layout.planes[0].stride, width: size.width,
      height: size.height, is_big_endian: layout.pixelFormat.isBigEndian ? 1 : 0)
    let memory = UnsafeMutableRawPointer(counters.reserve(Int(CYUV_WIDE_VALUES) * MemoryLayout<UInt32>.stride))
    let shown = cyuv_used_values(
      &plane, 1 << bits - 1, Self.leastSpan, memory.assumingMemoryBound(to: UInt32.self))
    let stride = (size.width + 63) & ~63
    let target = luma.reserve(stride * size.height)
    let (first, last): (UInt8, UInt8) = layout.range == .full ? (0, 255) : (16, 235)
    cyuv_stretch(&plane, shown, first, last, target, stride)
    var planes = Planes(
      size: size, chroma: size.chroma420, y: target, u: target, v: target, yStride: stride, uStride: 0, vStride: 0,
      range: layout.range, matrix: layout.matrix)
    planes.showNeutralChroma(in: neutral)
    return planes
  }
}
