internal import Synchronization

/// The bytes of one frame: immutable and shared. Returns its memory to the pool with the last reference.
public final class FrameBuffer: @unchecked Sendable {
  // Unchecked because of the pointer: nothing writes to the memory once this object exists; and because of `loans`.
  private let base: UnsafeMutableRawPointer
  private var capacity: Int { slab.capacity }
  private let pool: FramePool
  /// The memory it lies in, from its first byte. Others must not use it after this object.
  public let slab: FrameMemory.Slab
  /// Bytes in use.
  public let count: Int
  /// Guarded by the pool's lock.
  var loans = 0
  private let damage = Atomic<Bool>(false)

  init(slab: FrameMemory.Slab, count: Int, pool: FramePool) {
    self.base = slab.pointer
    self.slab = slab
    self.count = count
    self.pool = pool
  }

  deinit { pool.recycle(slab) }

  /// One of no bytes, for what is told of a picture without it.
  public static let empty: FrameBuffer = {
    let slab = FrameMemory.process.allocate(4096)!
    return FrameBuffer(slab: slab, count: 0, pool: FramePool(budget: 4096))
  }()

  /// Whether somebody who decoded the picture found it damaged. False until then: nobody decodes on the frame's way.
  public var isDamaged: Bool { damage.load(ordering: .relaxed) }

  /// Says so to everybody else who has the picture, so that they need not try.
  public func markDamaged() { damage.store(true, ordering: .relaxed) }

  /// Whether its memory is of `pool`.
  public func isFrom(_ pool: FramePool) -> Bool { self.pool === pool }

  /// Whether the pool could lend `frames` of this size besides those that are lent. When not, whoever goes on borrowing
  /// takes memory from the one who fills the pool, the camera.
  public func leavesRoom(for frames: Int) -> Bool { pool.lendable >= frames * capacity }

  /// Whether who could do without a loan of it, just taken, need not give it back: somebody else has one too, or the pool
  /// has lent at most half of what it may. The other half is for those who cannot do without.
  public var isSpare: Bool { pool.canSpare(self) }

  /// How many frames of this size the pool could lend besides those that are lent.
  public var room: Int { max(0, pool.lendable) / capacity }

  /// Calls `body` with the bytes. The pointer is valid for as long as this object lives, so that C code may be lent
  /// it together with a retain of the object.
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
