internal import CLocalSocket
public import CaptureCore

extension FrameMemory {
  /// Memory that the daemon can share with other processes. Each slab has a descriptor that other processes can map for
  /// reading; the seals of the memory let no other process write or resize the slab.
  public static let shared = FrameMemory(
    allocate: { capacity in
      var base: UnsafeMutableRawPointer?
      let descriptor = CLocalSocket_create_memory(capacity, &base)
      guard descriptor >= 0, let base else { return nil }
      return Slab(base: base, capacity: capacity, descriptor: descriptor)
    },
    free: { slab in
      guard let descriptor = slab.descriptor, let base = UnsafeMutableRawPointer(bitPattern: slab.base) else { return }
      CLocalSocket_destroy_memory(descriptor, base, slab.capacity)
    }, hasDescriptors: true)
}
