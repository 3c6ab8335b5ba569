internal import Synchronization

/// The source from which a ``FramePool`` gets its memory.
public struct FrameMemory: Sendable {
  /// A piece of memory that begins at a multiple of 4096 bytes.
  public struct Slab: Sendable {
    /// The address of the first byte.
    public let base: UInt
    /// The size of the slab in bytes.
    public let capacity: Int
    /// The file descriptor by which another process can map the same memory; nil for memory that only this process has.
    /// The slab does not own the descriptor.
    public let descriptor: Int32?
    /// A number that no other slab of this process ever has.
    public let number: UInt64

    /// Creates a slab for memory that the caller owns.
    ///
    /// - Parameters:
    ///   - base: the first byte.
    ///   - capacity: the size in bytes.
    ///   - descriptor: the file descriptor by which another process can map the memory; nil for memory that only this
    ///     process has.
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
  /// Whether other processes need every slab's descriptor.
  let hasDescriptors: Bool

  /// Creates a source of memory.
  ///
  /// - Parameters:
  ///   - allocate: returns a slab of the given number of bytes, which is a multiple of 4096; nil when there is no
  ///     memory. The pool calls it with its lock held.
  ///   - free: takes a slab back.
  ///   - hasDescriptors: whether each slab has a descriptor, because other processes need one.
  public init(
    allocate: @escaping @Sendable (Int) -> Slab?, free: @escaping @Sendable (Slab) -> Void, hasDescriptors: Bool = false
  ) {
    self.allocate = allocate
    self.free = free
    self.hasDescriptors = hasDescriptors
  }

  /// Whether the source can provide memory at all. To find out, this property allocates 4096 bytes and frees them
  /// again.
  public var isAvailable: Bool {
    guard let slab = allocate(4096) else { return false }
    free(slab)
    return true
  }

  /// The memory of this process alone.
  public static let process = FrameMemory(
    allocate: { Slab(base: .allocate(byteCount: $0, alignment: 4096), capacity: $0) },
    free: { $0.pointer.deallocate() })
}
