internal import CaptureCore

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
