internal import Synchronization

/// Where a ``FramePool`` gets its memory from.
public struct FrameMemory: Sendable {
  /// A piece of memory, page-aligned.
  public struct Slab: Sendable {
    public let base: UInt
    public let capacity: Int
    /// What maps the same memory elsewhere; nil for memory of this process alone.
    public let descriptor: Int32?
    /// No other slab of this process ever has it.
    public let number: UInt64

    public init(base: UnsafeMutableRawPointer, capacity: Int, descriptor: Int32? = nil) {
      self.base = UInt(bitPattern: base)
      self.capacity = capacity
      self.descriptor = descriptor
      number = Self.newest.add(1, ordering: .relaxed).newValue
    }

    var pointer: UnsafeMutableRawPointer { UnsafeMutableRawPointer(bitPattern: base)! }

    private static let newest = Atomic<UInt64>(0)
  }

  let allocate: @Sendable (_ capacity: Int) -> Slab?
  let free: @Sendable (Slab) -> Void

  /// - Parameters:
  ///   - allocate: a slab of so many bytes, a multiple of 4096; nil when there is none. Called with the pool's lock held.
  ///   - free: takes it back.
  public init(allocate: @escaping @Sendable (Int) -> Slab?, free: @escaping @Sendable (Slab) -> Void) {
    self.allocate = allocate
    self.free = free
  }

  /// Whether there is such memory at all: takes a page and gives it back.
  public var isAvailable: Bool {
    guard let slab = allocate(4096) else { return false }
    free(slab)
    return true
  }

  /// This process's own.
  public static let process = FrameMemory(
    allocate: { Slab(base: .allocate(byteCount: $0, alignment: 4096), capacity: $0) },
    free: { $0.pointer.deallocate() })
}
