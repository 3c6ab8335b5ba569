internal import Glibc

/// Memory for direct I/O, which takes only whole blocks at addresses of whole blocks. The memory is full of zeros at
/// first.
final class AlignedBytes: @unchecked Sendable {
  // Unchecked, because the owner sees to it that one thread uses the memory at a time.
  /// The bytes of a block: all disks take blocks of this size.
  static let block = 4096

  /// The bytes of a huge page of x86-64, and of AArch64 with pages of 4 KiB.
  private static let hugePage = 2 << 20

  let bytes: UnsafeMutableRawBufferPointer

  /// - Parameter count: the number of bytes, a multiple of ``block``.
  init(count: Int) {
    let isLarge = count >= Self.hugePage
    bytes = .allocate(byteCount: count, alignment: isLarge ? Self.hugePage : Self.block)
    // A disk takes memory in one piece with less work than each small page of it. Where there are no huge pages, the
    // small ones do.
    if isLarge { madvise(bytes.baseAddress, count, MADV_HUGEPAGE) }
    // The pages come now, and not while a capture writes.
    bytes.initializeMemory(as: UInt8.self, repeating: 0)
  }

  deinit { bytes.deallocate() }

  /// Rounds a number of bytes up to whole blocks.
  static func whole(_ count: Int) -> Int { (count + block - 1) & ~(block - 1) }
}
