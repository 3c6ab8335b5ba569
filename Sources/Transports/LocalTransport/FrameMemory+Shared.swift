internal import CLocalSocket
public import CaptureCore

extension FrameMemory {
  /// Memory that other processes can be given, to read: each slab has a descriptor, and is sealed against everything else.
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
    })
}
