internal import Glibc
internal import Synchronization

/// The bytes of one frame, immutable and shared. With the last reference to this object, the memory returns to its pool
/// or to its lender.
public final class FrameBuffer: @unchecked Sendable {
  // Unchecked for two reasons: the compiler cannot see that no thread writes to the memory behind the pointer once this
  // object exists, and `loans` is guarded by a lock of another object.
  private let base: UnsafeMutableRawPointer
  private var capacity: Int { slab.capacity }
  private let pool: FramePool
  /// Who gets the memory back; nil for memory of the pool.
  private let lender: (any FrameLender)?
  /// The memory of the frame, which begins at the first byte of the slab. Other code must not use the slab after this
  /// object is gone.
  public let slab: FrameMemory.Slab
  /// The number of bytes in use, from the start of the slab.
  public let count: Int
  /// The number of loans of this buffer. The pool's lock guards it.
  var loans = 0
  private let damage = Atomic<Bool>(false)

  init(slab: FrameMemory.Slab, count: Int, pool: FramePool, lender: (any FrameLender)? = nil) {
    self.base = slab.pointer
    self.slab = slab
    self.count = count
    self.pool = pool
    self.lender = lender
  }

  deinit {
    if let lender {
      pool.release(slab)
      lender.takeBack()
    } else {
      pool.recycle(slab)
    }
  }

  /// A buffer of no bytes, for a message that describes a picture and does not contain it.
  public static let empty: FrameBuffer = {
    let slab = FrameMemory.process.allocate(4096)!
    return FrameBuffer(slab: slab, count: 0, pool: FramePool(budget: 4096))
  }()

  /// Whether a thread that decoded the picture found it damaged. False until then, because no thread decodes a frame on
  /// its way from the camera to the outputs.
  public var isDamaged: Bool { damage.load(ordering: .relaxed) }

  /// Marks the picture as damaged, so that the other threads that use it need not try to decode it.
  public func markDamaged() { damage.store(true, ordering: .relaxed) }

  /// Whether the memory belongs to `pool`.
  public func isFrom(_ pool: FramePool) -> Bool { self.pool === pool }

  /// Whether the pool could lend `frames` more buffers of this size besides those that are lent now. If not, each
  /// further loan takes memory from the camera, which fills the pool.
  public func leavesRoom(for frames: Int) -> Bool { pool.lendable >= frames * capacity }

  /// Whether a user that has just taken a loan of this buffer, and could do without the loan, may keep the loan: either
  /// the buffer has another loan anyway, or the pool has lent at most half of the memory that it may lend. The other
  /// half is for users that cannot do without their loans.
  public var isSpare: Bool { pool.canSpare(self) }

  /// How many more buffers of this size the pool could lend besides those that are lent now; at least 0.
  public var room: Int { max(0, pool.lendable) / capacity }

  /// Calls `body` with the bytes. The pointer stays valid for as long as this object lives; therefore a caller may lend
  /// the pointer to C code together with a retain of the object.
  public func withUnsafeBytes<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
    try body(UnsafeRawBufferPointer(start: base, count: count))
  }
}

extension FrameBuffer {
  func beginLoan() {
    pool.changeLoans { lent in
      if loans == 0 { lent += capacity }
      loans += 1
    }
  }

  func endLoan() {
    pool.changeLoans { lent in
      loans -= 1
      if loans == 0 { lent -= capacity }
    }
  }
}

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

/// The owner of memory that holds one frame for as long as somebody uses the frame, such as a driver's buffer.
public protocol FrameLender: AnyObject, Sendable {
  /// Takes the memory back, because nobody uses the frame any more. Called once for each frame, on any thread; must not
  /// block.
  func takeBack()
}

/// A loan of a buffer for a user that may keep the buffer for long, such as a message on its way to a slow reader or a
/// photo that waits. The pool counts a buffer as lent once, however many loans the buffer has. The loan ends with the
/// last reference to this object.
public final class FrameLoan: Sendable {
  /// The buffer that is lent.
  public let buffer: FrameBuffer

  /// Begins a loan of `buffer`.
  public init(_ buffer: FrameBuffer) {
    self.buffer = buffer
    buffer.beginLoan()
  }

  deinit { buffer.endLoan() }
}
