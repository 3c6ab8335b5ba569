internal import Glibc

/// A piece of pool memory that one thread fills. ``freeze(count:)`` turns it into a ``FrameBuffer``; otherwise the
/// memory returns to the pool unused.
public struct WritableFrameBuffer: ~Copyable, @unchecked Sendable {
  private let slab: FrameMemory.Slab
  // The struct retains the pool by hand, because `discard self` requires stored properties that need no destruction.
  private let pool: Unmanaged<FramePool>
  /// The number of bytes that may be written.
  public var capacity: Int { slab.capacity }

  init(slab: FrameMemory.Slab, pool: FramePool) {
    self.slab = slab
    self.pool = .passRetained(pool)
  }

  deinit {
    pool.takeUnretainedValue().recycle(slab)
    pool.release()
  }

  /// The memory to write to, ``capacity`` bytes long. The pointer is valid only as long as this value exists.
  public var bytes: UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(start: slab.pointer, count: capacity)
  }

  /// Has the kernel provide all pages of the memory at once, because the page faults would take longer than the copy of
  /// a frame. Kernels before 5.14 cannot do this (`MADV_POPULATE_WRITE`); there, this method has no effect.
  public func populate() {
    // A slab begins at a multiple of 4 KiB, but some machines have pages of 16 or 64 KiB, and the kernel refuses a
    // range that begins inside a page. Providing the rest of that page does not change its contents.
    let start = slab.base & ~(UInt(sysconf(Int32(_SC_PAGESIZE))) - 1)
    let count = slab.capacity + Int(slab.base - start)
    madvise(UnsafeMutableRawPointer(bitPattern: start), count, MADV_POPULATE_WRITE)
  }

  /// Ends writing and makes the memory immutable.
  ///
  /// - Parameter count: the number of bytes, from the start, that belong to the frame; at most ``capacity``.
  public consuming func freeze(count: Int) -> FrameBuffer {
    precondition(count >= 0 && count <= capacity, "frame longer than its buffer")
    let buffer = FrameBuffer(slab: slab, count: count, pool: pool.takeRetainedValue())
    discard self
    return buffer
  }
}
