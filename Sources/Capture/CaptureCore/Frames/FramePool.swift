internal import Locking

/// Memory for frames within a budget. The pool keeps free slabs for reuse, because fresh memory costs a page fault for
/// every 4 KiB; for 4K frames, these faults take longer than the copy of the frame. Thread-safe.
public final class FramePool: Sendable {
  private struct State {
    var budget: Int
    var kept: Int
    var free: [FrameMemory.Slab] = []
    var allocated = 0
    var lent = 0
    var refused: UInt64 = 0

    /// Frees unused slabs until `count` more bytes fit into the budget, or until no unused slab is left.
    mutating func trim(for count: Int = 0, _ memory: FrameMemory) {
      while allocated + count > budget, let old = free.first {
        free.removeFirst()
        allocated -= old.capacity
        memory.free(old)
      }
    }
  }
  private let state: Locked<State>
  private let memory: FrameMemory

  /// The number of bytes that the pool may have allocated at once, in use and free together.
  public var budget: Int { state.withLock(\.budget) }
  /// The part of the budget, in bytes, that the pool does not lend; see ``FrameBuffer/leavesRoom(for:)``.
  public var kept: Int { state.withLock(\.kept) }

  /// Creates a pool, which allocates nothing yet.
  ///
  /// - Parameters:
  ///   - budget: the number of bytes that the pool may have allocated at once.
  ///   - kept: the part of the budget, in bytes, that the pool does not lend.
  ///   - memory: where the pool gets its slabs.
  public init(budget: Int, kept: Int = 0, memory: FrameMemory = .process) {
    state = Locked(State(budget: budget, kept: kept))
    self.memory = memory
  }

  /// Changes the budget while the pool is in use. When the new budget is smaller than the memory in use, the pool gives
  /// out nothing new until enough memory has come back.
  ///
  /// - Parameters:
  ///   - budget: the number of bytes that the pool may have allocated at once.
  ///   - kept: the part of the budget, in bytes, that the pool does not lend.
  public func setBounds(budget: Int, kept: Int) {
    state.withLock { state in
      state.budget = budget
      state.kept = kept
      state.trim(memory)
    }
  }

  deinit {
    // Every buffer in use retains the pool, so at this point the free list has all slabs that the pool allocated.
    state.withLock { state in
      for slab in state.free { memory.free(slab) }
    }
  }

  /// Takes memory for `count` bytes.
  ///
  /// - Returns: nil when the budget is used up; the caller then counts a frame as dropped because the pool was out of
  ///   buffers.
  public func take(_ count: Int) -> WritableFrameBuffer? {
    let rounded = max(4096, (count + 4095) & ~4095)
    let slab: FrameMemory.Slab? = state.withLock { state in
      // The pool reuses a slab of at most twice the size, so that a small picture does not occupy a slab that was made
      // for a large one.
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

  /// Makes a frame of memory that does not belong to the pool. While the frame lives, its memory counts like that of a
  /// slab.
  ///
  /// - Parameters:
  ///   - slab: the memory, which must not change until `lender` gets it back.
  ///   - count: the number of bytes, from the start, that belong to the frame.
  /// - Returns: nil when the budget is used up, or when the users of this pool need memory with a descriptor and `slab`
  ///   has none. The lender then keeps the memory.
  public func adopt(_ slab: FrameMemory.Slab, count: Int, from lender: any FrameLender) -> FrameBuffer? {
    guard slab.descriptor != nil || !memory.hasDescriptors else { return nil }
    let fits = state.withLock { state in
      state.trim(for: slab.capacity, memory)
      guard state.allocated + slab.capacity <= state.budget else { return false }
      state.allocated += slab.capacity
      return true
    }
    return fits ? FrameBuffer(slab: slab, count: count, pool: self, lender: lender) : nil
  }

  /// Prepares free slabs, so that later calls of ``take(_:)`` neither allocate memory nor cause page faults. The pool
  /// allocates slabs and touches each of their pages until `slabs` free slabs of `count` bytes are there, or until the
  /// budget is reached. The pool prepares one slab at a time, so that it need not refuse memory to another thread
  /// meanwhile.
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

  /// Frees all memory that is not in use.
  public func reclaim() {
    state.withLock { state in
      for slab in state.free {
        state.allocated -= slab.capacity
        memory.free(slab)
      }
      state.free = []
    }
  }

  /// The number of bytes that are allocated now, and how often ``take(_:)`` found no memory.
  public var usage: (allocated: Int, refused: UInt64) { state.withLock { ($0.allocated, $0.refused) } }

  /// Whether the budget has room for `count` more bytes.
  public func hasRoom(for count: Int) -> Bool { state.withLock { $0.allocated + count <= $0.budget } }

  var lendable: Int { state.withLock { $0.budget - $0.kept - $0.lent } }

  func canSpare(_ buffer: FrameBuffer) -> Bool {
    state.withLock { buffer.loans > 1 || 2 * $0.lent <= $0.budget - $0.kept }
  }

  func changeLoans(_ body: (inout Int) -> Void) { state.withLock { body(&$0.lent) } }

  /// Counts adopted memory no longer.
  func release(_ slab: FrameMemory.Slab) { state.withLock { $0.allocated -= slab.capacity } }

  func recycle(_ slab: FrameMemory.Slab) {
    state.withLock { state in
      state.free.append(slab)
      state.trim(memory)
    }
  }
}
