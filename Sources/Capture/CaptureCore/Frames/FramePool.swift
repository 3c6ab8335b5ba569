internal import Synchronization

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

  var lendable: Int { state.withLock { $0.budget - $0.kept - $0.lent } }

  func canSpare(_ buffer: FrameBuffer) -> Bool {
    state.withLock { buffer.loans > 1 || 2 * $0.lent <= $0.budget - $0.kept }
  }

  func changeLoans(_ body: (inout Int) -> Void) { state.withLock { body(&$0.lent) } }

  func recycle(_ slab: FrameMemory.Slab) {
    state.withLock { state in
      state.free.append(slab)
      state.trim(memory)
    }
  }
}
