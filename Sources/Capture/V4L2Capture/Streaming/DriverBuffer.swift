internal import CaptureCore
internal import Synchronization

/// One of a driver's buffers, mapped into memory. The mapping ends with the last reference to this object. A frame in
/// the buffer has a reference, so that its bytes stay after the end of the stream.
///
/// The capture thread maps and detaches the buffer. Any thread may read it and take it back.
final class DriverBuffer: FrameLender, @unchecked Sendable {
  let index: UInt32
  /// The mapped memory of each plane. Does not change once a frame may be in the buffer.
  private(set) var planes: [UnsafeMutableRawBufferPointer] = []
  /// The memory as a frame can have it; nil while there is not exactly one plane.
  private(set) var slab: FrameMemory.Slab?
  private let returns: ReturnedBuffers
  private let syscalls: any Syscalls

  init(_ index: UInt32, returns: ReturnedBuffers, syscalls: any Syscalls) {
    self.index = index
    self.returns = returns
    self.syscalls = syscalls
  }

  deinit { for plane in planes { syscalls.unmap(plane.baseAddress!, length: plane.count) } }

  /// Maps another plane.
  func map(_ descriptor: Int32, _ extent: BufferCalls.Extent) throws(VideoNodeError) {
    let (length, offset) = (Int(extent.length), Int(extent.offset))
    let base: UnsafeMutableRawPointer
    do { base = try syscalls.map(descriptor, length: length, offset: offset) } catch {
      throw VideoNodeError(call: "mmap", errno: error)
    }
    planes.append(UnsafeMutableRawBufferPointer(start: base, count: length))
    slab = planes.count == 1 ? FrameMemory.Slab(base: base, capacity: length) : nil
  }

  /// Makes a mapping that a frame still uses independent of the device, which the mapping would keep open. When the
  /// system has no memory for that, the device stays open until nobody uses the frame.
  func detach() {
    for plane in planes { try? syscalls.detach(plane.baseAddress!, length: plane.count) }
  }

  func takeBack() { returns.add(index) }
}

/// The buffers that frames gave back and that the capture thread has not seen yet. Thread-safe.
final class ReturnedBuffers: Sendable {
  /// The largest number of buffers.
  static let capacity = 32
  /// One bit for each buffer.
  private let bits = Atomic<UInt32>(0)

  func add(_ index: UInt32) { bits.bitwiseOr(1 << index, ordering: .releasing) }

  /// Removes all buffers, and returns their indexes.
  func takeAll() -> [UInt32] {
    guard bits.load(ordering: .relaxed) != 0 else { return [] }
    let taken = bits.exchange(0, ordering: .acquiring)
    return (0..<UInt32(Self.capacity)).filter { taken & 1 << $0 != 0 }
  }
}
