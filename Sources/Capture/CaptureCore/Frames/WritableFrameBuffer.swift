#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// A piece of pool memory being filled. Either ``freeze(count:)`` turns it into a buffer or it goes back unused.
public struct WritableFrameBuffer: ~Copyable, @unchecked Sendable {
  private let slab: FrameMemory.Slab
  // Retained by hand: `discard self` wants stored properties that need no destruction.
  private let pool: Unmanaged<FramePool>
  /// Bytes that may be written.
  public var capacity: Int { slab.capacity }

  init(slab: FrameMemory.Slab, pool: FramePool) {
    self.slab = slab
    self.pool = .passRetained(pool)
  }

  deinit {
    pool.takeUnretainedValue().recycle(slab)
    pool.release()
  }

  public var bytes: UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(start: slab.pointer, count: capacity)
  }

  /// Has the system provide all of the memory at once: a fault for each page takes longer than the copy of a frame.
  /// Kernels before 5.14 do not know how, and nothing happens.
  public func populate() {
    // A slab begins at a multiple of 4 KiB, but pages of 16 and 64 KiB exist, and the kernel refuses parts of them.
    let start = slab.base & ~(UInt(sysconf(Int32(_SC_PAGESIZE))) - 1)
    let count = slab.capacity + Int(slab.base - start)
    madvise(UnsafeMutableRawPointer(bitPattern: start), count, MADV_POPULATE_WRITE)
  }

  /// Ends writing.
  ///
  /// - Parameter count: how many bytes from the start are the frame.
  public consuming func freeze(count: Int) -> FrameBuffer {
    precondition(count >= 0 && count <= capacity, "frame longer than its buffer")
    let buffer = FrameBuffer(slab: slab, count: count, pool: pool.takeRetainedValue())
    discard self
    return buffer
  }
}
