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
