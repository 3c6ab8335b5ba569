internal import CaptureCore

/// Memory for what lies between two steps, kept from picture to picture so that none is allocated per frame.
///
/// Thread-bound. Each reservation invalidates the one before.
final class ScratchMemory {
  private var memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 0, alignment: 64)

  deinit { memory.deallocate() }

  /// At least `count` bytes of any content. Grows, never shrinks.
  func reserve(_ count: Int) -> UnsafeMutablePointer<UInt8> {
    if memory.count < count {
      memory.deallocate()
      memory = .allocate(byteCount: count, alignment: 64)
    }
    // Zero bytes have no address.
    guard let base = memory.baseAddress else { return reserve(64) }
    return base.assumingMemoryBound(to: UInt8.self)
  }

  /// Room for three planes, their lines padded to whole cache lines.
  func planes(_ size: Size, chroma: Size, range: FrameLayout.Range, matrix: FrameLayout.Matrix) -> Planes {
    let (yStride, cStride) = ((size.width + 63) & ~63, (chroma.width + 63) & ~63)
    let base = reserve(yStride * size.height + 2 * cStride * chroma.height)
    let u = base + yStride * size.height
    return Planes(
      size: size, chroma: chroma, y: base, u: u, v: u + cStride * chroma.height,
      yStride: yStride, uStride: cStride, vStride: cStride, range: range, matrix: matrix)
  }
}
