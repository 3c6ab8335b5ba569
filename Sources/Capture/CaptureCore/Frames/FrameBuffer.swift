internal import Synchronization

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

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
  fileprivate var loans = 0
  private let damage = Atomic<Bool>(false)

  fileprivate init(slab: FrameMemory.Slab, count: Int, pool: FramePool) {
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

/// Holds a buffer for somebody who may take long to let go of it: a message on its way to a slow reader, a photo that waits.
/// However many loans a buffer has, it counts once.
public final class FrameLoan: Sendable {
  public let buffer: FrameBuffer

  public init(_ buffer: FrameBuffer) {
    self.buffer = buffer
    buffer.beginLoan()
  }

  deinit { buffer.endLoan() }
}

extension FrameBuffer {
  fileprivate func beginLoan() {
    pool.changeLoans { lent in
      if loans == 0 { lent += capacity }
      loans += 1
    }
  }

  fileprivate func endLoan() {
    pool.changeLoans { lent in
      loans -= 1
      if loans == 0 { lent -= capacity }
    }
  }
}

/// A piece of pool memory being filled. Either ``freeze(count:)`` turns it into a buffer or it goes back unused.
public struct WritableFrameBuffer: ~Copyable, @unchecked Sendable {
  private let slab: FrameMemory.Slab
  // Retained by hand: `discard self` wants stored properties that need no destruction.
  private let pool: Unmanaged<FramePool>
  /// Bytes that may be written.
  public var capacity: Int { slab.capacity }

  fileprivate init(slab: FrameMemory.Slab, pool: FramePool) {
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

/// Recycled memory for frames, within a budget. Thread-safe.
///
/// Slabs are kept for reuse because fresh pages cost a fault every 4 KiB: at 4K that is more than the copy itself.
public final class FramePool: Sendable {
  private struct State {
    var budget: Int
    var kept: Int
    var free: [FrameMemory.Slab] = []
    var allocated = 0
    var lent = 0
    var refused: UInt64 = 0

    /// Gives free memory back to the system until `count` bytes more are within the budget, or none is left.
    mutating func trim(for count: Int = 0, _ memory: FrameMemory) {
      while allocated + count > budget, let old = free.first {
        free.removeFirst()
        allocated -= old.capacity
        memory.free(old)
      }
    }
  }
  private let state: Mutex<State>
  private let memory: FrameMemory

  /// Bytes that may be allocated at once, in use and free together.
  public var budget: Int { state.withLock(\.budget) }
  /// Of these, bytes that are not for lending: see ``FrameBuffer/leavesRoom(for:)``.
  public var kept: Int { state.withLock(\.kept) }

  public init(budget: Int, kept: Int = 0, memory: FrameMemory = .process) {
    state = Mutex(State(budget: budget, kept: kept))
    self.memory = memory
  }

  /// Changes the bounds while the pool is in use. Above a smaller budget nothing is taken until enough came back.
  public func setBounds(budget: Int, kept: Int) {
    state.withLock { state in
      state.budget = budget
      state.kept = kept
      state.trim(memory)
    }
  }

  deinit {
    // Every buffer in use retains the pool, so all that is left is on the free list.
    state.withLock { state in
      for slab in state.free { memory.free(slab) }
    }
  }

  /// Takes memory for `count` bytes.
  ///
  /// - Returns: nil when the budget is used up; the caller counts a frame as dropped for want of buffers.
  public func take(_ count: Int) -> WritableFrameBuffer? {
    let rounded = max(4096, (count + 4095) & ~4095)
    let slab: FrameMemory.Slab? = state.withLock { state in
      // Exact reuse only up to twice the size, so that small pictures do not sit in slabs made for large ones.
      if let index = state.free.lastIndex(where: { $0.capacity >= rounded && $0.capacity <= 2 * rounded }) {
        return state.free.remove(at: index)
      }
      state.trim(for: rounded, memory)
      guard state.allocated + rounded <= state.budget, let slab = memory.allocate(rounded) else {
        state.refused += 1
        return nil
      }
      state.allocated += rounded
      return slab
    }
    return slab.map { WritableFrameBuffer(slab: $0, pool: self) }
  }

  /// Has memory ready: until as many free slabs of `count` bytes are there, or the budget is reached, new ones are fetched
  /// from the system, page by page. One at a time, so that nobody who takes memory meanwhile is refused for it.
  public func provide(_ slabs: Int, of count: Int) {
    let rounded = max(4096, (count + 4095) & ~4095)
    while let slab = takeNew(rounded, unless: slabs) {
      let memory = WritableFrameBuffer(slab: slab, pool: self)
      for page in stride(from: 0, to: memory.capacity, by: 4096) { memory.bytes[page] = 0 }
    }
  }

  private func takeNew(_ count: Int, unless enough: Int) -> FrameMemory.Slab? {
    state.withLock { state in
      let ready = state.free.count { $0.capacity >= count && $0.capacity <= 2 * count }
      guard ready < enough, state.allocated + count <= state.budget, let slab = memory.allocate(count) else {
        return nil
      }
      state.allocated += count
      return slab
    }
  }

  /// Gives all memory that is not in use back to the system.
  public func reclaim() {
    state.withLock { state in
      for slab in state.free {
        state.allocated -= slab.capacity
        memory.free(slab)
      }
      state.free = []
    }
  }

  /// Bytes allocated now, and how often memory was refused.
  public var usage: (allocated: Int, refused: UInt64) { state.withLock { ($0.allocated, $0.refused) } }

  fileprivate var lendable: Int { state.withLock { $0.budget - $0.kept - $0.lent } }

  fileprivate func canSpare(_ buffer: FrameBuffer) -> Bool {
    state.withLock { buffer.loans > 1 || 2 * $0.lent <= $0.budget - $0.kept }
  }

  fileprivate func changeLoans(_ body: (inout Int) -> Void) { state.withLock { body(&$0.lent) } }

  fileprivate func recycle(_ slab: FrameMemory.Slab) {
    state.withLock { state in
      state.free.append(slab)
      state.trim(memory)
    }
  }
}
